import { describe, expect, test } from 'vitest'
import { cautionOf, labels, labelsOf } from '../../../../pipelines/domains/market/labels.ts'
import { buyersReturn, wilsonLowerBound } from '../../../../pipelines/domains/market/repeat.ts'
import {
  type Chain,
  Exact,
  type Seller,
  type SellerEndpoint,
  sumOf,
  withRevenue,
} from '../../../../pipelines/domains/market/seller.ts'

const asOf = Date.parse('2026-11-16')
const hour = 3_600_000
const endpoint = (more: Partial<SellerEndpoint> = {}): SellerEndpoint => ({
  key: 'k',
  url: 'https://seller.dev/v1',
  price: new Exact('0.01'),
  priceIsMax: false,
  calls: 100,
  payers: 20,
  lastCalledAt: asOf - hour,
  placeholder: false,
  serviceName: null,
  description: 'A service',
  tags: [],
  parameters: [],
  categories: ['other'],
  outlier: false,
  revenue: new Exact(1),
  ...more,
})
const chain = (more: Partial<Chain> = {}): Chain => ({
  payments: 100,
  paid: new Exact(1),
  payers: 20,
  payersWithoutSweepers: 20,
  topPayments: 10,
  returning: 10,
  customers: 20,
  oneCall: 2,
  cv: 1,
  medianPayments: 4,
  beganTogether: 2,
  togetherAt: asOf - 240 * hour,
  firstAt: asOf - 900 * hour,
  selfPayments: 0,
  fundedPayers: 0,
  circular: new Exact(0),
  wash: new Exact(0),
  busiestHour: 5,
  busiestDay: 20,
  typicalPaid: 0.01,
  metronomeCv: undefined,
  ...more,
})
const seller = (endpoints: SellerEndpoint[] = [endpoint()], more: Partial<Seller> = {}): Seller => ({
  host: 'seller.dev',
  operator: 'seller.dev',
  endpoints,
  calls: endpoints.reduce((sum, { calls }) => sum + calls, 0),
  payersMax: Math.max(...endpoints.map(({ payers }) => payers)),
  paidEndpoints: endpoints.length,
  revenue: sumOf(endpoints),
  walletHosts: 1,
  chain: chain(),
  asOf,
  ...more,
})
const seen = (more: Partial<Chain>) => seller(undefined, { chain: chain(more) })
const many = (count: number, calls: number) =>
  Array.from({ length: count }, () => endpoint({ calls, payers: 5 }))

/** For each label, a seller at its threshold and one just short of it. */
const cases: Record<string, [at: Seller, short: Seller]> = {
  few_wallets_many_calls: [
    seller([endpoint({ calls: 1000, payers: 2 })], { chain: undefined }),
    seller([endpoint({ calls: 999, payers: 2 })], { chain: undefined }),
  ],
  one_call_per_wallet: [
    seller([endpoint({ calls: 23, payers: 20 })]),
    seller([endpoint({ calls: 24, payers: 20 })]),
  ],
  single_wallet_seller: [seller([endpoint({ payers: 1 })]), seller([endpoint({ payers: 2 })])],
  price_outlier: [
    seller([endpoint({ price: new Exact(101), outlier: true })]),
    seller([endpoint({ price: new Exact(101), outlier: true })], {
      chain: chain({ paid: new Exact(5000), typicalPaid: 101 }),
    }),
  ],
  cloned_endpoints: [seller(many(200, 1)), seller(many(199, 1))],
  placeholder_url: [
    seller([endpoint({ placeholder: true }), endpoint({ calls: 99 })]),
    seller([endpoint({ placeholder: true, calls: 99 }), endpoint()]),
  ],
  dormant: [
    seller([endpoint({ lastCalledAt: asOf - 337 * hour })]),
    seller([endpoint({ lastCalledAt: asOf - 335 * hour })]),
  ],
  self_payment: [seen({ selfPayments: 5 }), seen({ selfPayments: 4 })],
  single_payer: [seen({ payments: 1000, topPayments: 950 }), seen({ payments: 1000, topPayments: 949 })],
  circular_funding: [
    seen({ fundedPayers: 3, circular: new Exact('0.5') }),
    seen({ fundedPayers: 3, circular: new Exact('0.499999') }),
  ],
  coordinated_wallets: [seen({ beganTogether: 14, cv: 0.5 }), seen({ beganTogether: 14, cv: 0.51 })],
  one_shot_crowd: [
    seen({ payments: 23, oneCall: 18, medianPayments: 1 }),
    seen({ payments: 23, oneCall: 17, medianPayments: 1 }),
  ],
  burst: [
    seen({ payments: 500, busiestHour: 125, paid: new Exact(5) }),
    seen({ payments: 500, busiestHour: 124, paid: new Exact(5) }),
  ],
  metronome: [seen({ metronomeCv: 0.1 }), seen({ metronomeCv: 0.11 })],
  sweeper_only: [seen({ payersWithoutSweepers: 4 }), seen({ payersWithoutSweepers: 5 })],
  shared_wallet: [seller(undefined, { walletHosts: 3 }), seller(undefined, { walletHosts: 2 })],
  chain_gap: [seen({ payments: 9, topPayments: 1 }), seen({ payments: 10, topPayments: 1 })],
  price_differs: [seen({ typicalPaid: 0.031 }), seen({ typicalPaid: 0.03 })],
}
const codesOf = (of: Seller) => labelsOf(of).map(({ label }) => label.code)

describe('each label', () => {
  test('has a case', () => expect(Object.keys(cases)).toEqual(labels.map(({ code }) => code)))
  test.each(Object.entries(cases))('%s: given at its threshold, and not below it', (code, [at, short]) => {
    expect(codesOf(at)).toContain(code)
    expect(codesOf(short)).not.toContain(code)
  })
  test('none for an ordinary seller', () => expect(codesOf(seller())).toEqual([]))
  test('none from a chain that was not read', () => {
    for (const [code, [at]] of Object.entries(cases))
      if (labels.find(label => label.code === code)?.witness !== 'catalog')
        expect(codesOf({ ...at, chain: undefined })).not.toContain(code)
  })
  test("coordinated_wallets: not on a seller's first day", () => {
    const launched = { beganTogether: 14, cv: 0.1, firstAt: asOf - 250 * hour }
    expect(codesOf(seen(launched))).not.toContain('coordinated_wallets')
  })
  test('one_call_per_wallet: not removed by calls to another endpoint', () => {
    const swept = endpoint({ calls: 20, payers: 20 })
    const called = endpoint({ key: 'other', calls: 27, payers: 3 })
    const both = seller([called, swept], { chain: undefined })
    expect(codesOf(both)).toContain('one_call_per_wallet')
    expect(buyersReturn(both, called, labelsOf(both))).toBe(false)
    expect(buyersReturn(seller([called], { chain: undefined }), called, [])).toBe(true)
  })
  test('chain_gap: not if calls may be settled together', () => {
    const gap = chain({ payments: 1, topPayments: 1 })
    expect(codesOf(seller([endpoint({ priceIsMax: true })], { chain: gap }))).not.toContain('chain_gap')
  })
})

describe('a caution', () => {
  test('is neutral: it never speaks of fraud', () => {
    for (const [, [at]] of Object.entries(cases)) {
      const told = cautionOf(labelsOf(at))
      if (told === null) continue
      expect(told).not.toMatch(/fraud|fake|wash|scam/i)
      expect(told.match(/Numbers look unusual; this is not proof of wrongdoing\./g)).toHaveLength(1)
    }
  })
  test('has the first one, and the number of further ones', () => {
    const two = seller([endpoint({ calls: 1000, payers: 2, placeholder: true })], { chain: undefined })
    expect(cautionOf(labelsOf(two))).toMatch(/^1000 calls came from only 2 paying wallets.* And 1 more\. /)
  })
  test('is absent for labels that are only info', () =>
    expect(cautionOf(labelsOf(seen({ metronomeCv: 0 })))).toBeNull())
})

describe('buyers return', () => {
  const returns = (of: Seller) => buyersReturn(of, of.endpoints[0] as SellerEndpoint, labelsOf(of))
  test('by the chain: at least 3 wallets, and clearly more than a few of all', () => {
    expect(returns(seen({ returning: 3, customers: 10 }))).toBe(true)
    expect(returns(seen({ returning: 2, customers: 2 }))).toBe(false)
    expect(returns(seen({ returning: 20, customers: 200 }))).toBe(false)
    expect(wilsonLowerBound(0, 0)).toBe(0)
    expect(wilsonLowerBound(10, 20)).toBeCloseTo(0.299, 2)
  })
  test('never with a strong label', () => expect(returns(seen({ selfPayments: 10 }))).toBe(false))
  test('by the catalog if the chain has no data', () => {
    const unseen = (calls: number, payers: number) =>
      seller([endpoint({ calls, payers })], { chain: undefined })
    expect(returns(unseen(6, 4))).toBe(true)
    expect(returns(unseen(5, 4))).toBe(false)
    expect(returns(unseen(20, 2))).toBe(false)
    expect(returns(unseen(5000, 3))).toBe(false)
  })
})

test('an extreme price earns nothing, unless the chain saw the money', () => {
  const dear = [
    endpoint({ price: new Exact('10000000000'), calls: 3 }),
    endpoint({ price: new Exact(1), calls: 2 }),
  ]
  expect(sumOf(withRevenue(dear, undefined)).toFixed()).toBe('2')
  expect(
    sumOf(
      withRevenue([endpoint({ price: new Exact(500), calls: 2 })], chain({ paid: new Exact(900) })),
    ).toFixed(),
  ).toBe('1000')
})
