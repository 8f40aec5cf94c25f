import { describe, expect, it } from 'vitest'
import type { View } from '../../../schemas/dataset/dataset.ts'
import { sellerWeeks } from '../../../schemas/market-weeks.ts'
import { marketCsv, marketPage } from '../../../services/pages/market.ts'
import { sellerPage } from '../../../services/pages/market-seller.ts'
import { offer, onSale, releaseOf } from '../origins/data/market/a-market.ts'

const release = releaseOf([
  offer('busy.dev', '/a', { calls: '5000', payers: '1', price_usd: '0.001000000000000000' }),
  offer('many.dev', '/b', { calls: '900', payers: '300' }),
  offer('=evil.dev', '/c', { calls: '20', payers: '5' }),
])
const { shelf, now } = onSale(release)
const week = (name: string, calls: number) => ({
  week: name,
  rank: 1,
  calls,
  paying_wallets_max: 7,
  est_revenue_usd: '1.5',
  patterns: [],
})
const tools = {
  now,
  view: shelf.view.bind(shelf),
  lookAll: async (view: View) => (view === sellerWeeks ? [week('2026-W46', 20), week('2026-W45', 10)] : []),
} as never
const asked = (path: string, query: Record<string, string> = {}) => ({
  accept: 'text/html',
  path,
  query,
  origins: [],
})
const ask = async (page: ReturnType<typeof marketPage>, path: string, query = {}) =>
  String((await page.answer(asked(path, query))).body)

describe('the market', () => {
  const market = marketPage(tools, 'ops@farebox.example')
  const order = (text: string) =>
    [...text.matchAll(/href="\/market\/sellers\/([^"]+)"/g)].map(([, host]) => host)

  it('leads to a page of each seller, in the order that is asked for', async () => {
    expect(order(await ask(market, '/market', { sort: 'calls' }))[0]).toBe('busy.dev')
    expect(order(await ask(market, '/market', { sort: 'wallets' }))[0]).toBe('many.dev')
  })

  it('keeps a choice while another is made', async () => {
    const [label = ''] = release.sellers.flatMap(({ patterns }) => patterns)
    const text = await ask(market, '/market', { sort: 'calls', label })
    expect(text).toContain(`href="/market?label=${label}&amp;sort=wallets"`)
    expect(text).toContain(`href="/market.csv?label=${label}&amp;sort=calls"`)
  })

  it('knows no other order', async () => {
    await expect(async () => market.answer(asked('/market', { sort: 'constructor' }))).rejects.toThrow()
  })

  it('is CSV in which nothing begins like a formula', async () => {
    const text = String((await marketCsv(tools).answer(asked('/market.csv'))).body)
    expect(text.split('\r\n')[0]).toBe('rank,host,est_revenue_usd,calls,paying_wallets_max,labels,categories')
    expect(text).toContain(",'=evil.dev,")
    expect(text).not.toMatch(/(^|,)[=+@]/m)
  })
})

describe('the page of a seller', () => {
  const seller = sellerPage(tools, 'ops@farebox.example')

  it('shows its numbers, its weeks as lines with a table, its endpoints and payees', async () => {
    const text = await ask(seller, '/market/sellers/many.dev')
    for (const part of ['<h1>many.dev</h1>', '<dd>900</dd>', 'https://many.dev/b', `0x${'ab'.repeat(20)}`])
      expect(text).toContain(part)
    expect(text).toContain('From 10 at 2026-W45 to 20 at 2026-W46')
  })

  it('stands in the sitemap, with a picture of its own', async () => {
    expect(seller.places?.()).toContain('/market/sellers/many.dev')
    const text = await ask(seller, '/market/sellers/many.dev')
    expect(text).toContain('property="og:image" content="/market/sellers/many.dev/picture.png"')
    const { type, body } = await seller.answer(asked('/market/sellers/many.dev/picture.png'))
    expect([type, Buffer.from(body).toString('latin1', 1, 4)]).toEqual(['image/png', 'PNG'])
  })

  it('does without the store', async () => {
    const lookAll = () => Promise.reject(new Error('away'))
    const text = await ask(
      sellerPage({ ...(tools as object), lookAll } as never, ''),
      '/market/sellers/many.dev',
    )
    expect(text).toContain('<h1>many.dev</h1>')
    expect(text).not.toContain('Week by week')
  })

  it.each(['/market/sellers/nobody.dev', '/market/sellers/', '/market/sellers/__proto__'])(
    'asks the store nothing for %s',
    async path => {
      await expect(async () => seller.answer(asked(path))).rejects.toThrow()
    },
  )
})
