/** The endpoints of a seller, page by page, each with its last probe; and the history of probes of those that are shown. */
import type { MarketProbe } from '../../schemas/market-probes.ts'
import type { ReleaseEndpoint, ReleaseSeller } from '../../schemas/values/market-release.ts'
import { Failure } from '../offer/errors.ts'
import type { probesIn } from '../origins/data/market/probes.ts'
import { cut } from '../query/face/scale.ts'
import { table } from '../query/face/table.ts'
import { escaped, linkTo, whole } from '../query/face/text.ts'

const onPage = 20
/** Each is a question to the store. */
const mostProbed = 5

interface EndpointPage {
  number: number
  pages: number
  endpoints: readonly ReleaseEndpoint[]
}

/** A page that is not there is none: nobody makes up addresses without end. */
export function pageOf({ endpoints }: ReleaseSeller, asked = '1'): EndpointPage {
  const pages = Math.max(1, Math.ceil(endpoints.length / onPage))
  const number = /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 0
  if (number < 1 || number > pages) throw new Failure('not_found')
  return { number, pages, endpoints: endpoints.slice((number - 1) * onPage, number * onPage) }
}

/** Those of a page that are probed at all. */
export const probedUrls = ({ endpoints }: EndpointPage, probeOf: ReturnType<typeof probesIn>): string[] =>
  endpoints
    .filter(({ url, listed }) => listed || probeOf(url))
    .slice(0, mostProbed)
    .map(({ url }) => url)

const columns = [
  'endpoint',
  { title: 'price, USD', isNumber: true },
  { title: 'calls', isNumber: true },
  { title: 'wallets', isNumber: true },
  'last probe',
]

export function endpointsSection(
  seller: ReleaseSeller,
  page: EndpointPage,
  path: string,
  probeOf: ReturnType<typeof probesIn>,
): string {
  const first = (page.number - 1) * onPage
  const turn = (number: number, text: string, rel: string) =>
    `<a rel="${rel}" href="${escaped(path)}${number === 1 ? '' : `?page=${number}`}#endpoints">${text}</a>`
  const turns = [
    page.number > 1 ? turn(page.number - 1, 'Busier ones', 'prev') : '',
    page.number < page.pages ? turn(page.number + 1, 'More endpoints', 'next') : '',
  ].join('')
  const rows = page.endpoints.map(each => endpointRow(each, probeOf))
  return `<h2 id="endpoints">Its endpoints</h2>
${table({ columns, rows, caption: 'Endpoints' })}
<p class="quiet">${whole(Math.min(first + 1, seller.endpoints.length))} to ${whole(first + rows.length)} of ${whole(seller.endpoints.length)}, the busiest first. With competitors: ${linkTo('/docs/market/seller', 'How an x402 seller does')}.</p>
${turns ? `<nav class="row" aria-label="Pages of endpoints">${turns}</nav>` : ''}`
}

function endpointRow(
  { url, price_usd: price, calls, wallets }: ReleaseEndpoint,
  probeOf: ReturnType<typeof probesIn>,
): string[] {
  const probe = probeOf(url)
  return [
    `<code>${escaped(cut(url, 200))}</code>`,
    price === null ? 'not known' : escaped(price),
    whole(calls),
    whole(wallets),
    probe ? `${outcomeOf(probe)} <small>${escaped(minute(probe.checked_at))}</small>` : 'not probed lately',
  ]
}

const outcomeOf = ({ alive, reason }: MarketProbe): string =>
  alive ? '<span class="good">quotes its price</span>' : escaped(cut(reason ?? '', 120))
const minute = (at: string): string => at.slice(0, 16).replace('T', ' ')

const probeColumns = [
  'when, UTC',
  'outcome',
  { title: 'price, USD', isNumber: true },
  { title: 'answered in, ms', isNumber: true },
]
const mostRows = 24

/** One strip an endpoint, the oldest first, with the newest of its probes as a table. */
export function probesSection(probes: ReadonlyMap<string, readonly MarketProbe[]>): string {
  const shown = [...probes].filter(([, all]) => all.length > 0)
  return shown.length
    ? `<h2 id="probes">How its probes went</h2><p class="quiet">Who is recommended is asked hourly for a quote, without paying.</p>${shown.map(([url, all]) => probesOf(url, all)).join('')}`
    : ''
}

function probesOf(url: string, all: readonly MarketProbe[]): string {
  const good = all.filter(({ alive }) => alive === true).length
  const told = `${whole(good)} of the last ${whole(all.length)} quoted its price`
  const rows = all
    .slice(0, mostRows)
    .map(probe => [
      escaped(minute(probe.checked_at)),
      outcomeOf(probe),
      escaped(probe.price_usd ?? ''),
      probe.latency_ms === null ? '' : whole(probe.latency_ms),
    ])
  return `<h3><code>${escaped(cut(url, 120))}</code></h3><p>${told}.</p>${strip(all.toReversed(), told)}
<details><summary>The newest probes <small>${rows.length} of ${whole(all.length)}</small></summary>${table({ columns: probeColumns, rows, caption: `Probes of ${cut(url, 120)}` })}</details>`
}

const wide = 4
const kindOf = ({ alive }: MarketProbe) => (alive === true ? 'bar' : alive === false ? 'gap' : 'none')
const strip = (probes: readonly MarketProbe[], told: string): string =>
  `<svg role="img" aria-label="${escaped(told)}" width="${probes.length * wide}" height="24" viewBox="0 0 ${probes.length * wide} 24" preserveAspectRatio="none">${probes.map((probe, i) => `<rect class="${kindOf(probe)}" x="${i * wide}" width="${wide - 1}" height="24"/>`).join('')}</svg>`
