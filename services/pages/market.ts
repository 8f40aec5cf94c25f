/** The leaderboard of the week, for people. */
import { method } from '../../pipelines/domains/market/method.ts'
import { Failure } from '../offer/errors.ts'
import type { Tools } from '../offer/operation.ts'
import type { ServedPage } from '../offer/origin.ts'
import { marketOnSale } from '../origins/data/market/on-sale.ts'
import { failureOf } from '../query/call-failures.ts'
import { layout, pageHeaders } from '../query/face/layout.ts'
import { table } from '../query/face/table.ts'
import { escaped, words } from '../query/face/text.ts'

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

export const marketPage = (tools: Pick<Tools, 'view'>, contact: string): ServedPage => ({
  path: '/market',
  isForPeople: true,
  answer: ({ query: { category, label } }) => {
    const shown = {
      title: 'The x402 market of the week · Farebox',
      about:
        'The leaderboard of x402 sellers: estimated revenue, calls, paying wallets, and what is odd about them.',
      contact,
      path: '/market',
    }
    const type = 'text/html; charset=utf-8'
    try {
      return {
        type,
        headers: pageHeaders,
        body: layout({ ...shown, body: leaderboard(tools, category, label) }),
      }
    } catch (error) {
      const { code, status, message } = failureOf(error)
      if (code === 'internal_error' || code === 'not_found') throw error
      const body = `<h1>The x402 market of the week</h1><p>${escaped(message)}.</p>`
      return { type, status, headers: pageHeaders, body: layout({ ...shown, body }) }
    }
  },
})

function leaderboard(
  tools: Pick<Tools, 'view'>,
  category: string | undefined,
  label: string | undefined,
): string {
  const { week, sellers, categories } = marketOnSale(tools).market.content
  if (category !== undefined && !categories.some(each => each.category === category))
    throw new Failure('not_found')
  const abouts = new Map(method.labels.map(({ code, about }) => [code as string, about]))
  if (label !== undefined && !abouts.has(label)) throw new Failure('not_found')
  const listed = sellers.filter(
    ({ categories, patterns }) =>
      (category === undefined || categories.includes(category)) &&
      (label === undefined || patterns.some(each => each === label)),
  )
  const highest = Math.max(...listed.map(({ est_revenue_usd }) => Number(est_revenue_usd)), 1)
  const rows = listed.slice(0, most).map(seller => {
    const revenue = Number(seller.est_revenue_usd)
    const width = Math.max(1, Math.round((revenue / highest) * 80))
    const patterns = seller.patterns.map(
      code => `<abbr title="${escaped(abouts.get(code) ?? code)}">${escaped(code)}</abbr>`,
    )
    return [
      String(seller.rank),
      escaped(seller.host),
      revenue.toFixed(2),
      `<svg role="img" aria-label="${revenue.toFixed(2)} dollars" width="80" height="12" viewBox="0 0 80 12"><rect class="bar" width="${width}" height="12"/></svg>`,
      whole(seller.calls),
      whole(seller.paying_wallets_max),
      patterns.join(', '),
    ]
  })
  const filters = [
    `<a href="/market"${category === undefined && label === undefined ? ' aria-current="page"' : ''}>all</a>`,
    ...categories.map(
      each =>
        `<a href="/market?category=${encodeURIComponent(each.category)}"${each.category === category ? ' aria-current="page"' : ''}>${escaped(words(each.category))} <small>${each.sellers}</small></a>`,
    ),
  ]
  const explained = method.labels.map(({ code, about }) => {
    const bearing = sellers.filter(({ patterns }) => patterns.some(each => each === code)).length
    return `<dt><a href="/market?label=${code}"${code === label ? ' aria-current="page"' : ''}><code>${escaped(code)}</code></a> <small>${bearing}</small></dt><dd>${escaped(about)}</dd>`
  })
  return `<h1>The x402 market of ${escaped(week)}</h1>
<p>Revenue is calls times listed price over 30 days, not money seen. Labels prove nothing: <a href="/market/method">how the market is judged</a>. All sellers, with what was seen on chain: <a href="/docs/market/dataset">the dataset</a>.</p>
<nav class="row" aria-label="Categories">${filters.join('')}</nav>
${table({ columns, rows, caption: 'Sellers by revenue' })}
<p class="quiet">${Math.min(most, listed.length)} of ${listed.length}${label === undefined ? '' : ` with the label <code>${escaped(label)}</code>`}.</p>
<h2>What the labels say</h2>
<dl>${explained.join('')}</dl>`
}

const whole = (count: number): string => count.toLocaleString('en')
