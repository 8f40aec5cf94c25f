/** What stands behind the numbers of a seller: evidence, payments, probes, payees, and thousands of endpoints of hostile names. */
import { describe, expect, it } from 'vitest'
import { chainPayments, paymentsTo } from '../../../schemas/chain-payments.ts'
import type { View } from '../../../schemas/dataset/dataset.ts'
import { marketProbeHistory } from '../../../schemas/market-probes.ts'
import { marketPayers, marketWallets } from '../../../schemas/market-views.ts'
import { sellerWeeks } from '../../../schemas/market-weeks.ts'
import type { NetworkName } from '../../../schemas/tables/networks.ts'
import type { ReleaseSeller } from '../../../schemas/values/market-release.ts'
import { sellerPage } from '../../../services/pages/market-seller.ts'
import { offer, onSale, releaseOf } from '../origins/data/market/a-market.ts'

const evil = '"><img src=x onerror=alert(1)>'
const wallet = `0x${'ab'.repeat(20)}`
const payment = (payer: string, tx: string, more: object = {}) => ({
  ...{ network: 'base', at: '2026-11-15T10:00:00.000Z', tx, position: 0, block: 1, payer, pay_to: wallet },
  ...{ amount: '0.01', asset: 'usdc', method: 'eip3009', facilitator: 'x', nonce: null },
  ...{ provisional: false, withdrawn: false, ...more },
})
const payer = (name: string, more: object = {}) => ({
  ...{ host: 'many.dev', payer: name, payments: '3', paid: '0.03', days: '1', first_at: '2026-11-15T10:00' },
  ...{ sweeper: 0, self: 0, back: null, funded: 0, ...more },
})
const probe = (alive: boolean | null, hour: number) => ({
  ...{ url: 'https://many.dev/0', host: 'many.dev', alive, status: 402, price_usd: '0.01', latency_ms: 41 },
  ...{ checked_at: `2026-11-15T${String(hour).padStart(2, '0')}:00:00.000Z`, reason: alive ? null : evil },
})
const weekOf = (codes: Record<string, string>) => ({
  ...{ week: '2026-W47', rank: 1, calls: 20, paying_wallets_max: 7, est_revenue_usd: '1.5' },
  patterns: Object.entries(codes).map(([code, evidence]) => ({
    ...{ code, witness: 'chain', severity: 'strong', evidence },
  })),
})

const offers = Array.from({ length: 45 }, (_, i) =>
  offer('many.dev', `/${i}${i === 44 ? evil : ''}`, { calls: String(9000 - i), payers: '1' }),
)

interface Known {
  rows?: Map<View, (key: readonly unknown[]) => readonly object[]>
  patterns?: string[]
  explored?: NetworkName[]
}
function opened({ rows = new Map(), patterns = [], explored = ['base'] }: Known) {
  const { sellers, ...release } = releaseOf(offers)
  const [seller] = sellers as [ReleaseSeller]
  const { shelf, now } = onSale({ ...release, sellers: [{ ...seller, patterns }] })
  const asked: string[] = []
  const lookAll = async (view: View, ...key: unknown[]) => {
    asked.push(view.name)
    return rows.get(view)?.(key) ?? []
  }
  const page = sellerPage({ now, view: shelf.view.bind(shelf), lookAll } as never, '', explored)
  const ask = async (query: Record<string, string> = {}) =>
    String(
      (await page.answer({ accept: 'text/html', path: '/market/sellers/many.dev', query, origins: [] })).body,
    )
  return { ask, asked }
}
const section = (text: string, code: string) =>
  text.split(`id="behind-${code}"`)[1]?.split('</section>')[0] ?? ''

describe('what stands behind a label', () => {
  const rows = new Map<View, (key: readonly unknown[]) => readonly object[]>([
    [
      sellerWeeks,
      () => [
        weekOf({
          circular_funding: '{"wallets":2,"circular_usd":"1.5"}',
          self_payment: '{"self_payments":40}',
        }),
      ],
    ],
    [
      marketWallets,
      () => [{ host: 'many.dev', network: 'base', pay_to: wallet, hosts: '3', named_since: evil }],
    ],
    [
      marketPayers,
      () => [
        payer(wallet, { self: 1, payments: '40' }),
        payer('0xfunded', { funded: 1, back: '0.9' }),
        payer(evil, { payments: '1200' }),
      ],
    ],
    [
      paymentsTo,
      ([, to]) =>
        to === wallet
          ? [
              payment('0xfunded', '0xpaid'),
              payment(wallet, `0x${evil}`),
              payment('0xplain', '0xno', { method: 'plain' }),
            ]
          : [
              payment(wallet, '0xback', { pay_to: '0xfunded', method: 'plain' }),
              payment('0xother', '0xelse', { pay_to: '0xfunded' }),
            ],
    ],
  ])
  const patterns = ['circular_funding', 'self_payment']

  it('are its numbers, the payers that it speaks of, and their payments at the explorer of the chain', async () => {
    const text = await opened({ rows, patterns }).ask()
    const funded = section(text, 'circular_funding')
    expect(funded).toContain('<dt>circular usd</dt><dd>1.5</dd>')
    expect(funded).toContain('0.9 USDC came to it')
    for (const tx of ['0xpaid', '0xback'])
      expect(funded).toContain(`<a href="https://basescan.org/tx/${tx}" rel="noreferrer">`)
    expect(funded).toContain('1 of 1 payers')
    const self = section(text, 'self_payment')
    expect(self).toContain(`<code>${wallet}</code>`)
    expect(self).not.toContain('0xfunded')
    for (const never of ['0xno', '0xelse', evil, '<img']) expect(text).not.toContain(never)
    expect(text).toContain('2 other sellers')
  })

  it('leads to no explorer where the money is play money', async () => {
    const text = await opened({ rows, patterns, explored: [] }).ask()
    expect(text).toContain('0xpaid')
    expect(text).not.toContain('basescan.org')
  })

  it('are the endpoints that have those numbers, where the catalog is the witness', async () => {
    const weeks = [weekOf({ few_wallets_many_calls: '{"calls":9000,"wallets":1}' })]
    const known = new Map([[sellerWeeks as View, () => weeks]])
    const text = await opened({ rows: known, patterns: ['few_wallets_many_calls'] }).ask()
    expect(section(text, 'few_wallets_many_calls')).toContain('<code>https://many.dev/0</code>')
  })

  it.each(['', 'null', '[1', '"text"'])(
    'stands without numbers where they cannot be read: %s',
    async evidence => {
      const known = new Map([[sellerWeeks as View, () => [weekOf({ burst: evidence })]]])
      const text = await opened({ rows: known, patterns: ['burst'] }).ask()
      expect(section(text, 'burst')).toContain('None of its payers that were read here is one of them.')
    },
  )
})

describe('the endpoints of a seller', () => {
  it('stand page by page, every one of them, and no page is made up', async () => {
    const { ask } = opened({})
    const pages = await Promise.all([ask(), ask({ page: '2' }), ask({ page: '3' })])
    const shown = pages.map(text => text.split('id="endpoints"')[1]?.split('</table>')[0] ?? '')
    const urls = shown.flatMap(text => [...text.matchAll(/https:\/\/many\.dev\/(\d+)/g)].map(([, i]) => i))
    expect(urls).toEqual(offers.map((_, i) => String(i)))
    expect(pages[2]).toContain('41 to 45 of 45')
    expect(pages[2]).not.toContain('<img')
    for (const page of ['0', '4', '-1', '1.5', '01', 'x', '__proto__', '9'.repeat(400)])
      await expect(ask({ page })).rejects.toThrow('nothing at this address')
  })

  it('ask the store little, however many there are', async () => {
    const { ask, asked } = opened({})
    await ask()
    expect(asked.filter(name => name === marketProbeHistory.name).length).toBe(5)
    expect(asked.length).toBe(8)
  })

  it('show how their probes went', async () => {
    const history = [probe(false, 12), probe(true, 11), probe(null, 10)]
    const known = new Map<View, (key: readonly unknown[]) => readonly object[]>([
      [marketProbeHistory, ([url]) => (url === 'https://many.dev/0' ? history : [])],
    ])
    const text = await opened({ rows: known }).ask()
    const probes = text.split('id="probes"')[1] ?? ''
    expect(probes).toContain('1 of the last 3 quoted its price')
    expect([...probes.matchAll(/<rect class="(\w+)"/g)].map(([, kind]) => kind)).toEqual([
      'none',
      'bar',
      'gap',
    ])
    expect(probes).toContain('2026-11-15 12:00')
    expect(probes).not.toContain('<img')
  })
})

it('says that the store is away', async () => {
  const away = new Map<View, () => never>()
  for (const view of [marketPayers, marketWallets])
    away.set(view as View, () => {
      throw new Error('away')
    })
  expect(await opened({ rows: away }).ask()).toContain('The store does not answer now')
  expect(chainPayments.views).toContain(paymentsTo)
})
