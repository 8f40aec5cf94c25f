/** What do the first pages of a web search say? */

import { z } from 'zod'
import type { SearchResult } from '../../../../pipelines/lookups/search.ts'
import { withoutEnd } from '../../../../schemas/values/text-end.ts'
import { Refused } from '../../../offer/errors.ts'
import { mainTextOf } from '../../../offer/main-text.ts'
import { defineOperation, type Tools } from '../../../offer/operation.ts'
import { pageOf, whyNoPage } from '../../../offer/pages.ts'
import { query, result, search, searchRefusals, source } from './found.ts'

/** The answer must be ready within 30 s, and the search takes up to 10 s. */
const mostPageMs = 15_000
/** An answer is one record of the log. */
const mostTextBytes = 250_000
const maxAgeMs = 300_000

const page = z.strictObject({
  url: z.string(),
  title: z.string(),
  text: z.string().nullable().describe('The main text; null: the page could not be read'),
  truncated: z.boolean().describe('The text is longer and was cut'),
  error: z.string().nullable().describe('Why it could not be read, such as page_refused'),
})

const exampleText = `Tidepool reads one file, tidepool.toml, from the folder in which it starts. Every key has a default, so an empty file is valid.

Keys

key\tdefault\tmeaning
listen\t127.0.0.1:7070\tthe address that it listens on
stations\t[]\tthe stations whose tides it keeps, by number
refresh_minutes\t6\thow often it asks for new readings

An example

listen = "0.0.0.0:7070"
stations = [8443970, 8454000]
refresh_minutes = 10

Reloading

Change the file.
Send the process a SIGHUP.
Look into the log for the line configuration loaded.

A file with a mistake is refused whole: the old configuration stays in force.`

export const searchRead = defineOperation({
  id: 'searchAndReadWeb',
  path: '/search/read',
  price: '0.005',
  inBrief: 'Web search with the main text of the first one to three pages.',
  costs: 'costly',
  ofModels: { max_chars: 8_000 },
  sold: 'Sold if at least half of the pages were read; else free.',
  title: 'Web search with the text of the first pages',
  about:
    'The top ten results of a web search, and the main text of the first one to three pages, without navigation and offers. A page that needs scripts is shown in a browser. A page that cannot be read says why.',
  tags: ['search', 'web', 'read'],
  request: z.strictObject({
    query,
    num: z.int().min(1).max(3).default(3).describe('The number of pages that are read'),
    max_chars: z.int().min(1).max(mostTextBytes).default(mostTextBytes).describe('Most characters of a text'),
  }),
  response: z.strictObject({ results: z.array(result), pages: z.array(page), source }),
  refusals: {
    ...searchRefusals,
    pages_unreadable: { status: 502, about: 'More than half of the pages could not be read' },
  },
  example: {
    request: { query: 'tidepool manual', num: 1 },
    response: {
      results: [
        {
          position: 1,
          title: 'Configuration - Tidepool manual',
          url: 'http://docs.sample/configuration',
          snippet: 'Tidepool reads one file. Every key has a default, so an empty file is valid.',
          date: null,
        },
      ],
      pages: [
        {
          url: 'http://docs.sample/configuration',
          title: 'Configuration - Tidepool manual',
          text: exampleText,
          truncated: false,
          error: null,
        },
      ],
      source: 'SearXNG',
    },
  },
  async answer({ query: asked, num, max_chars }, tools, refuse) {
    const { results, source: from } = await search({ query: asked, num: 10 }, tools, refuse)
    const pages = await Promise.all(
      results.slice(0, num).map(each => within(mostPageMs, read(each, max_chars, tools), each)),
    )
    const errors = pages.flatMap(({ error }) => error ?? [])
    if (!pages.length || errors.length * 2 > pages.length)
      return refuse(
        'pages_unreadable',
        `${errors.length} of the first ${pages.length} pages could not be read: ${errors.join(', ')}`,
      )
    return { results, pages, source: from }
  },
})

type Read = z.output<typeof page>

async function read({ url, title }: SearchResult, mostChars: number, tools: Tools): Promise<Read> {
  const refuse = (code: string, message: string): never => {
    throw new Refused(code, 422, message)
  }
  try {
    const found = await pageOf({ url, render: 'when thin', maxAgeMs }, tools, refuse)
    const main = await mainTextOf(found, tools, refuse)
    const text = cut(main.text, mostChars)
    return { url, title: main.title || title, text, truncated: text.length < main.text.length, error: null }
  } catch (error) {
    // One page failed. The others are still worth the price.
    const reason = whyNoPage(error)
    if (reason === undefined) throw error
    return { url, title, text: null, truncated: false, error: reason }
  }
}

async function within(ms: number, reading: Promise<Read>, { url, title }: SearchResult): Promise<Read> {
  const late = Promise.withResolvers<Read>()
  const timer = setTimeout(
    () => late.resolve({ url, title, text: null, truncated: false, error: 'timeout' }),
    ms,
  )
  try {
    return await Promise.race([reading, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Cuts at the end of a paragraph, if one is near. */
function cut(text: string, mostChars: number): string {
  const begins = withoutEnd(
    Buffer.from(text.slice(0, mostChars)).toString('utf8', 0, mostTextBytes),
    '\uFFFD',
  )
  if (begins.length === text.length) return text
  const at = begins.lastIndexOf('\n\n')
  return at > begins.length * 0.8 ? begins.slice(0, at) : begins
}
