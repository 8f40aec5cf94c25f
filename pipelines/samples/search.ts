/** A web search over the sample site of the sandbox, in the format of SearXNG. */
import type { Sample } from '../rails/outside/upstreams/upstream.ts'

interface Known {
  url: string
  title: string
  content: string
  publishedDate?: string
}

const known: readonly Known[] = [
  {
    url: 'http://news.sample/night-ferry',
    title: 'Night ferry returns to the northern islands',
    content:
      'After eleven years without a night crossing, the northern islands will again be reached by ferry.',
    publishedDate: '2026-10-14T00:00:00',
  },
  {
    url: 'http://files.sample/timetable.pdf',
    title: 'Ferry timetable (PDF)',
    content: 'When the ferry leaves in winter, and what a seat, a berth and a car cost.',
  },
  {
    url: 'http://tides.sample/',
    title: 'Tide board',
    content: 'High and low tides of Sample Harbour, drawn by a script.',
  },
  {
    url: 'http://docs.sample/configuration',
    title: 'Configuration - Tidepool manual',
    content: 'Tidepool reads one file. Every key has a default, so an empty file is valid.',
  },
  {
    url: 'http://forum.sample/t/cedar-varnish',
    title: 'Which varnish for a cedar dinghy? - Slipway Forum',
    content: 'A twelve foot cedar dinghy lives outdoors: one-part varnish, or oil?',
  },
  {
    url: 'http://chandlery.sample/products/NM-2041',
    title: 'Brass anchor lamp - Chandlery Sample',
    content: 'A riding light of cast brass with a thick ribbed glass.',
  },
]

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []

export const sample: Sample = ({ path, query }) => {
  if (path !== '/search') return undefined
  const asked = new Set(wordsOf(query.get('q') ?? ''))
  const shared = ({ title, content }: Known) =>
    new Set(wordsOf(`${title} ${content}`).filter(word => asked.has(word))).size
  const results = known
    .filter(page => shared(page) > 0)
    .sort((a, b) => shared(b) - shared(a))
    .map(page => ({ ...page, engine: 'sample', category: 'general' }))
  return {
    type: 'application/json',
    body: JSON.stringify({ query: query.get('q'), results, answers: [], infoboxes: [] }),
  }
}
