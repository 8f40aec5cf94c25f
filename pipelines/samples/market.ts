/**
 * An invented page of the catalog of x402 sellers: a few dozen resources of every form, last called around now. One
 * seller has the name of a real one, because the examples ask for it and must answer here and in the world. Its figures
 * are invented too.
 */
import { createHash } from 'node:crypto'
import { networks } from '../../schemas/tables/networks.ts'
import type { Sample } from '../rails/outside/upstreams/upstream.ts'

const hourMs = 3_600_000

/** This seller has the wallet of this sandbox. So purchases in the sandbox appear on chain as its payments. */
const own = 'fares.thissandbox.dev'

type Listed = [
  host: string,
  path: string,
  what: string,
  tags: string,
  usd: number,
  calls: number,
  payers: number,
]

const listed: Listed[] = [
  [
    'search.brightpath.dev',
    '/web',
    'Search the web; ten results with snippets',
    'search,web',
    0.007,
    61_200,
    412,
  ],
  ['search.brightpath.dev', '/news', 'Search the news of the last 30 days', 'search,news', 0.009, 8_300, 131],
  ['lantern-search.io', '/v1/search', 'Web search for agents, with sources', 'search', 0.005, 9_400, 96],
  [
    'api.pagelifter.com',
    '/read',
    'Fetch a page and return it as clean Markdown',
    'scrape,extract',
    0.002,
    44_100,
    287,
  ],
  ['api.pagelifter.com', '/screenshot', 'A screenshot of any page', 'scrape,image', 0.004, 3_900, 61],
  ['crawl.fieldnotes.dev', '/crawl', 'Crawl a site and extract its text', 'crawl,scrape', 0.03, 2_700, 44],
  ['tickers.coppermine.xyz', '/price', 'Spot price of any token', 'price,crypto', 0.001, 118_000, 204],
  ['tickers.coppermine.xyz', '/ohlc', 'Candles of any pair', 'price,market', 0.002, 23_500, 88],
  ['chainwatch.fyi', '/wallet', 'Holdings and history of a wallet', 'wallet,onchain', 0.01, 14_800, 173],
  ['chainwatch.fyi', '/token-risk', 'Is this token safe to hold?', 'token,security', 0.02, 6_100, 119],
  [
    'models.quietforge.ai',
    '/chat',
    'Chat completion with an open model',
    'llm,inference',
    0.012,
    31_700,
    148,
  ],
  ['models.quietforge.ai', '/embed', 'Text embeddings', 'llm,embedding', 0.0004, 52_000, 77],
  ['paint.quietforge.ai', '/image', 'An image from a prompt', 'image', 0.035, 7_200, 166],
  ['voice.larkspur.app', '/speech', 'Speech from text', 'audio,tts', 0.015, 2_300, 39],
  [
    'filings.ledgerline.co',
    '/10k',
    'Annual report of a company as structured data',
    'sec,filings',
    0.05,
    1_900,
    58,
  ],
  ['rates.harbourpoint.org', '/fx', 'Exchange rates of central banks', 'fx,currency', 0.002, 5_600, 71],
  ['weather.highmeadow.net', '/forecast', 'Hourly weather forecast', 'weather', 0.003, 12_900, 142],
  ['geo.highmeadow.net', '/ip', 'Where is this IP address?', 'geo,ip', 0.001, 19_400, 93],
  ['flights.tailwind.travel', '/status', 'Status of a flight', 'travel,flight', 0.01, 1_400, 37],
  [
    'people.rolodex.tools',
    '/company',
    'Facts about a company and its people',
    'enrichment,company',
    0.04,
    3_300,
    82,
  ],
  ['social.pulsegrid.dev', '/posts', 'Recent posts about a subject', 'social', 0.008, 10_700, 109],
  [
    'x402.twit.sh',
    '/users/search',
    'Search Twitter/X for user accounts matching a keyword or phrase.',
    'twitter,social',
    0.01,
    5_210,
    142,
  ],
  ['www.parcelwise.shop', '/track', 'Track a parcel', 'ecommerce', 0.004, 900, 24],
  ['mail.agentpost.io', '/send', 'Send an e-mail for an agent', 'agent,mail', 0.003, 4_800, 53],
  ['signals.moonshot.trade', '/alpha', 'A trading signal every minute', 'trading,signal', 0.01, 92_600, 2],
  ['sweep.everywhere.dev', '/ping', 'A quote of the day', 'fun', 0.001, 985, 981],
  ['lock.greybox.dev', '/data', 'Premium content', '', 5_000, 1, 1],
  ['lists.lostname.dev', '/list/:var1', 'A list by its name', 'list', 0.001, 12, 3],
  ['closed.emptyquay.dev', '/tides', 'Tides of a harbour', 'weather,tides', 0.002, 0, 0],
  [own, '/fx', 'Currency conversion at the rates of a central bank', 'fx,currency', 0.002, 40, 5],
]

/** Only our own address has a key. Nobody can spend from the others. */
const addressOf = (host: string, payTo: string) =>
  host === own ? payTo : `0x${createHash('sha256').update(host).digest('hex').slice(0, 40)}`

function resource(
  [host, at, description, tags, usd, calls, payers]: Listed,
  i: number,
  now: number,
  ownWallet: string,
) {
  const { caip2, asset, domain } = networks.base
  const calledAt = new Date(now - (1 + (i % 40)) * hourMs).toISOString()
  return {
    resource: `https://${host}${at}`,
    type: 'http',
    x402Version: 2,
    description,
    tags: tags.split(',').filter(Boolean),
    lastUpdated: calledAt,
    accepts: [
      {
        scheme: 'exact',
        network: caip2,
        asset,
        amount: String(Math.round(usd * 1e6)),
        payTo: addressOf(host, ownWallet),
        maxTimeoutSeconds: 60,
        extra: domain,
      },
    ],
    extensions: { bazaar: { info: { input: { type: 'http', method: 'POST', body: {} } } } },
    quality: { l30DaysTotalCalls: calls, l30DaysUniquePayers: payers, lastCalledAt: calledAt },
  }
}

export const sample: Sample = ({ path, query, now, payTo }) => {
  if (path !== '/platform/v2/x402/discovery/resources') return undefined
  const [limit, offset] = [Number(query.get('limit') ?? 100), Number(query.get('offset') ?? 0)]
  const items = listed.map((one, i) => resource(one, i, now, payTo)).slice(offset, offset + limit)
  const pagination = { limit, offset, total: listed.length }
  return { body: JSON.stringify({ x402Version: 2, items, pagination }) }
}
