/** A page for each seller of the week: its numbers, what stands behind its labels, its weeks as lines, its endpoints, probes and payees. */
import type { MarketSeller } from '../../schemas/market-weeks.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'
import type { ReleaseSeller } from '../../schemas/values/market-release.ts'
import { Failure } from '../offer/errors.ts'
import type { Tools } from '../offer/operation.ts'
import type { ServedPage } from '../offer/origin.ts'
import { marketOnSale } from '../origins/data/market/on-sale.ts'
import { probesIn } from '../origins/data/market/probes.ts'
import { failureOf } from '../query/call-failures.ts'
import { urlOf } from '../query/catalog/offered.ts'
import { drawn } from '../query/face/drawn.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { pictureEnd, picturePage } from '../query/face/picture.ts'
import { escaped, linkTo, whole, words } from '../query/face/text.ts'
import { endpointsSection, pageOf, probedUrls, probesSection } from './market-endpoints.ts'
import { evidenceOf, type JudgedSeller, payeesOf, paymentsOf } from './market-evidence.ts'
import { factsOf } from './market-facts.ts'
import { labelTags } from './market-labels.ts'

const root = '/market/sellers/'
export const sellerPath = (host: string): string => root + encodeURIComponent(host)

type MarketTools = Pick<Tools, 'view' | 'now' | 'lookAll'>

/** Only hosts of the release have one, so nobody can ask the store for names that he makes up. */
export const sellerPage = (
  tools: MarketTools,
  contact: string,
  explored: readonly NetworkName[] = [],
): ServedPage => ({
  path: `${root}*`,
  places: () => placesOf(tools),
  answer: async ({ path, query, origins }) => {
    const { market } = marketOnSale(tools)
    const isPicture = path.endsWith(pictureEnd)
    const host = path.slice(root.length, isPicture ? -pictureEnd.length : undefined)
    const seller = market.byHost.get(host)
    if (!seller) throw new Failure('not_found')
    if (isPicture) return picturePage(sellerPicture(seller, market.content.week))
    const page = pageOf(seller, query.page)
    const probeOf = probesIn(tools)
    const facts = await factsOf(tools, seller.host, probedUrls(page, probeOf))
    const shown = { seller, week: market.content.week, facts, explored }
    return {
      type: 'text/html; charset=utf-8',
      headers: pageHeaders,
      body: layout({
        title: `${seller.host} · Farebox`,
        about: `How ${seller.host} does on the x402 market: rank, calls, paying wallets, weeks.`,
        contact,
        picture: urlOf(origins) + sellerPath(seller.host) + pictureEnd,
        body: bodyOf(shown, endpointsSection(seller, page, sellerPath(seller.host), probeOf)),
      }),
    }
  },
})

/** None before the first release. */
function placesOf(tools: MarketTools): string[] {
  try {
    return marketOnSale(tools).market.content.sellers.map(({ host }) => sellerPath(host))
  } catch (error) {
    if (failureOf(error).code === 'not_ready') return []
    throw error
  }
}

const sellerPicture = ({ host, rank, calls, paying_wallets_max: wallets }: ReleaseSeller, week: string) => ({
  over: `The x402 market of ${week}`,
  title: host,
  lines: [`Rank ${rank}`, `${whole(calls)} calls in 30 days`, `${whole(wallets)} paying wallets`],
})

function bodyOf(shown: JudgedSeller, endpoints: string): string {
  const { seller, week, facts } = shown
  const { host, rank, calls, patterns, categories, onchain_note: onchain } = seller
  const figures = [
    ['rank', String(rank)],
    ['calls in 30 days', whole(calls)],
    ['paying wallets', whole(seller.paying_wallets_max)],
    ['estimated revenue, USD', Number(seller.est_revenue_usd).toFixed(2)],
  ]
  return `<p class="crumbs"><a href="/market">Market</a> / ${escaped(week)}</p>
<h1>${escaped(host)}</h1>
<p class="lead">Sells ${categories.map(each => linkTo(`/market?category=${encodeURIComponent(each)}`, words(each))).join(', ')}.</p>
<dl class="figures">${figures.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>
${patterns.length ? `<p><strong>Labels:</strong> ${labelTags(patterns)}. <a href="#evidence">What stands behind them</a>.</p>` : '<p class="quiet">Nothing about its numbers is odd.</p>'}
${onchain ? `<p><strong>On chain:</strong> ${escaped(onchain.note)} <small>${escaped(onchain.checked)}, ${escaped(onchain.source)}</small></p>` : ''}
${facts.isPartial ? '<p class="warn">The store does not answer now, so some of its facts are missing here.</p>' : ''}
${weeksOf(facts.weeks)}${evidenceOf(shown)}
${endpoints}${probesSection(facts.probes)}${payeesOf(shown)}${paymentsOf(shown)}
<p>${linkTo('/docs/market/method', 'How the market is judged')}. Every week, for programs: ${linkTo('/docs/market/history', 'the weeks of an x402 seller')}.</p>`
}

const shownWeeks = 52

function weeksOf(weeks: readonly MarketSeller[]): string {
  const inOrder = weeks.slice(0, shownWeeks).toSorted((a, b) => a.week.localeCompare(b.week))
  const over = (what: string, figureOf: (week: MarketSeller) => number, unit = '') =>
    drawn({
      kind: inOrder.length > 1 ? 'line' : 'bars',
      title: `${what}, week by week`,
      when: 'week',
      what,
      unit,
      more: ['rank', 'labels'],
      marks: inOrder.map(week => ({
        at: week.week,
        value: figureOf(week),
        more: [String(week.rank), week.patterns.map(({ code }) => words(code)).join(', ')],
      })),
    })
  const shown = [
    over('calls in 30 days', ({ calls }) => Number(calls)),
    over('paying wallets', ({ paying_wallets_max: wallets }) => Number(wallets)),
    over('revenue', ({ est_revenue_usd: revenue }) => Number(revenue), 'USD'),
  ]
  return inOrder.length
    ? `<h2 id="weeks">Week by week</h2><p class="quiet">Each week is as it was ranked then, over the 30 days before it. Revenue is calls times listed price, not money seen.</p>${shown.join('')}`
    : ''
}
