/** The leaderboard of the week, for people: filtered, sorted, as a page or as CSV. */
import { method } from '../../pipelines/domains/market/method.ts'
import type { ReleaseSeller } from '../../schemas/values/market-release.ts'
import { Failure } from '../offer/errors.ts'
import type { Tools } from '../offer/operation.ts'
import type { ServedPage } from '../offer/origin.ts'
import { marketOnSale } from '../origins/data/market/on-sale.ts'
import { failureOf } from '../query/call-failures.ts'
import { generalPicture } from '../query/catalog/offered.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { table } from '../query/face/table.ts'
import { escaped, linkTo, whole, words } from '../query/face/text.ts'
import { labelTags } from './market-labels.ts'
import { sellerPath } from './market-seller.ts'

const most = 50
const columns = [
  { title: 'rank', isNumber: true },
  'seller',
  { title: 'revenue, USD', isNumber: true },
  'share',
  { title: 'calls', isNumber: true },
  { title: 'wallets', isNumber: true },
  'labels',
]

type Query = Readonly<Record<string, string | undefined>>

export const marketPage = (tools: Pick<Tools, 'view'>, contact: string): ServedPage => ({
  path: '/market',
  isForPeople: true,
  answer: ({ query, origins }) => {
    const shown = {
      title: 'The x402 market of the week · Farebox',
      about:
        'The leaderboard of x402 sellers: estimated revenue, calls, paying wallets, and what is odd about them.',
      contact,
      path: '/market',
      picture: generalPicture(origins),
    }
    const type = 'text/html; charset=utf-8'
    try {
      return { type, headers: pageHeaders, body: layout({ ...shown, body: leaderboard(tools, query) }) }
    } catch (error) {
      const { code, status, message } = failureOf(error)
      if (code === 'internal_error' || code === 'not_found') throw error
      const body = `<h1>The x402 market of the week</h1><p>${escaped(message)}.</p>`
      return { type, status, headers: pageHeaders, body: layout({ ...shown, body }) }
    }
  },
})

export const marketCsv = (tools: Pick<Tools, 'view'>): ServedPage => ({
  path: '/market.csv',
  answer: ({ query }) => ({
    type: 'text/csv; charset=utf-8',
    headers: { 'content-disposition': 'attachment; filename="market.csv"' },
    body: csvOf(listOf(tools, query).listed.slice(0, most)),
  }),
})

const orders = {
  rank: ({ rank }: ReleaseSeller) => rank,
  calls: ({ calls }: ReleaseSeller) => -calls,
  wallets: ({ paying_wallets_max: wallets }: ReleaseSeller) => -wallets,
}
const isOrder = (name: string): name is keyof typeof orders => Object.hasOwn(orders, name)

/** The sellers that are asked for, in their order. An unknown filter is no page. */
function listOf(tools: Pick<Tools, 'view'>, { category, label, sort = 'rank' }: Query) {
  const { content } = marketOnSale(tools).market
  if (category !== undefined && !content.categories.some(each => each.category === category))
    throw new Failure('not_found')
  if (label !== undefined && !method.labels.some(({ code }) => code === label)) throw new Failure('not_found')
  if (!isOrder(sort)) throw new Failure('not_found')
  const listed = content.sellers
    .filter(
      ({ categories, patterns }) =>
        (category === undefined || categories.includes(category)) &&
        (label === undefined || patterns.includes(label)),
    )
    .toSorted((a, b) => orders[sort](a) - orders[sort](b))
  return { content, listed }
}

/** The address of the same page with another choice. */
function addressOf(path: string, query: Query, change: Query = {}): string {
  const { category, label, sort } = { ...query, ...change }
  const chosen = Object.entries({ category, label, sort }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `${path}${chosen.length ? '?' : ''}${new URLSearchParams(chosen)}`
}

function leaderboard(tools: Pick<Tools, 'view'>, query: Query): string {
  const { content, listed } = listOf(tools, query)
  const { week, sellers, categories } = content
  const { category, label, sort = 'rank' } = query
  const highest = Math.max(...listed.map(({ est_revenue_usd }) => Number(est_revenue_usd)), 1)
  const rows = listed.slice(0, most).map(seller => rowOf(seller, highest))
  const choice = (text: string, change: Query, isChosen: boolean) =>
    `<a href="${escaped(addressOf('/market', query, change))}"${isChosen ? ' aria-current="page"' : ''}>${text}</a>`
  const filters = [
    choice('all', { category: undefined, label: undefined }, category === undefined && label === undefined),
    ...categories.map(each =>
      choice(
        `${escaped(words(each.category))} <small>${each.sellers}</small>`,
        { category: each.category },
        each.category === category,
      ),
    ),
  ]
  const sorts = Object.keys(orders).map(name => choice(`by ${name}`, { sort: name }, name === sort))
  const explained = method.labels.map(({ code, about }) => {
    const bearing = sellers.filter(({ patterns }) => patterns.includes(code)).length
    return `<dt id="${code}">${choice(words(code), { label: code }, code === label)} <small>${bearing}</small></dt><dd>${escaped(about)}</dd>`
  })
  return `<h1>The x402 market of ${escaped(week)}</h1>
<p class="lead">Who sells what through x402, and whom others pay. Revenue is calls times listed price over 30 days, not money seen.</p>
<p>Labels prove nothing: <a href="/docs/market/method">how the market is judged</a>. All sellers, with what was seen on chain: <a href="/docs/market/dataset">the dataset</a>.</p>
<nav class="row" aria-label="Categories">${filters.join('')}</nav>
<nav class="row" aria-label="Order">${sorts.join('')}<a href="${escaped(addressOf('/market.csv', query))}">CSV</a></nav>
${table({ columns, rows, caption: 'Sellers' })}
<p class="quiet">${Math.min(most, listed.length)} of ${listed.length}${label === undefined ? '' : ` with the label “${escaped(words(label))}”`}.</p>
<h2>What the labels say</h2>
<dl>${explained.join('')}</dl>`
}

function rowOf(seller: ReleaseSeller, highest: number): string[] {
  const revenue = Number(seller.est_revenue_usd)
  const width = Math.max(1, Math.round((revenue / highest) * 80))
  return [
    String(seller.rank),
    linkTo(sellerPath(seller.host), seller.host),
    revenue.toFixed(2),
    `<svg role="img" aria-label="${revenue.toFixed(2)} dollars" width="80" height="12" viewBox="0 0 80 12"><rect class="bar" width="${width}" height="12"/></svg>`,
    whole(seller.calls),
    whole(seller.paying_wallets_max),
    labelTags(seller.patterns),
  ]
}

/** A program that opens it would run what begins like a formula. */
const cell = (value: string | number): string => {
  const text = String(value).replace(/^(?=[=+\-@])/, "'")
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csvOf = (sellers: readonly ReleaseSeller[]): string =>
  [
    ['rank', 'host', 'est_revenue_usd', 'calls', 'paying_wallets_max', 'labels', 'categories'],
    ...sellers.map(each => [
      ...[each.rank, each.host, each.est_revenue_usd, each.calls, each.paying_wallets_max],
      ...[each.patterns.join(' '), each.categories.join(' ')],
    ]),
  ]
    .map(row => `${row.map(cell).join(',')}\r\n`)
    .join('')
