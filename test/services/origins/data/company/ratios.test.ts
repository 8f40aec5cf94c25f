import { describe, expect, it } from 'vitest'
import { type MetricPoint, type PointMetric, pointMetrics } from '../../../../../schemas/sec-financials.ts'
import { ratiosOf, type TwoYears } from '../../../../../services/origins/data/company/ratios.ts'

const point = (
  value: string,
  period_end = '2024-12-31',
  changed: Partial<MetricPoint> = {},
): MetricPoint => ({
  metric: 'revenue',
  span: 'year',
  fiscal_year_end: period_end,
  concept: 'us-gaap:Revenues',
  unit: 'USD',
  period_start: null,
  period_end,
  value,
  form: '10-K',
  filed: '2025-02-20',
  accession: '0009000003-25-000001',
  was: null,
  was_accession: null,
  ...changed,
})
type Given = Partial<Record<PointMetric, [latest: MetricPoint | undefined, prior?: MetricPoint | undefined]>>

const told = (given: Given) =>
  ratiosOf(
    Object.fromEntries(
      pointMetrics.map(metric => [metric, { latest: given[metric]?.[0], prior: given[metric]?.[1] }]),
    ) as TwoYears,
  )
/** Ratios as the answer prints them, digit for digit. */
const printed = (given: Given) =>
  JSON.parse(JSON.stringify(told(given).ratios)) as Record<string, number | null>
const yearAgo = (value: string, changed?: Partial<MetricPoint>) => point(value, '2023-12-31', changed)

describe('growth', () => {
  const growth = (latest: MetricPoint, prior?: MetricPoint) =>
    printed({ revenue: [latest, prior] }).revenue_growth_pct

  it('compares with the year before, to two decimals', () => {
    expect(growth(point('416161000000', '2025-09-27'), point('391035000000', '2024-09-28'))).toBe(6.43)
  })
  it('rounds halves away from zero', () => {
    expect(growth(point('20001'), yearAgo('20000'))).toBe(0.01)
    expect(growth(point('19999'), yearAgo('20000'))).toBe(-0.01)
  })
  it('has no sign if it rounds to nothing', () => {
    expect(Object.is(growth(point('99999999'), yearAgo('100000000')), 0)).toBe(true)
  })
  it('may fall below minus a hundred', () => expect(growth(point('-50'), yearAgo('100'))).toBe(-150))
  it('is none from nothing', () => expect(growth(point('5'), yearAgo('0'))).toBeNull())
  it('is none from a loss', () => expect(growth(point('5'), yearAgo('-5'))).toBeNull())
  it('is none without a year before', () => expect(growth(point('5'))).toBeNull())
  it('is none over more than a year', () => expect(growth(point('5'), point('4', '2023-06-30'))).toBeNull())
  it('is none between two concepts', () => {
    expect(growth(point('5'), yearAgo('4', { concept: 'us-gaap:SalesRevenueNet' }))).toBeNull()
  })
  it('is none between two currencies', () =>
    expect(growth(point('5'), yearAgo('4', { unit: 'EUR' }))).toBeNull())
})

describe('a share', () => {
  const margin = (part: MetricPoint | undefined, whole: MetricPoint | undefined) =>
    printed({ net_income: [part], revenue: [whole] }).net_margin_pct

  it('is of the same period', () => expect(margin(point('1'), point('3'))).toBe(33.33))
  it('may be of a loss', () => expect(margin(point('-1'), point('3'))).toBe(-33.33))
  it('allows the two statements of a year to end some days apart', () => {
    const ended = (day: string) => point('1', day, { fiscal_year_end: '2024-12-31' })
    expect(margin(ended('2024-12-28'), point('4'))).toBe(25)
    expect(margin(ended('2024-12-27'), point('4'))).toBeNull()
  })
  it('is none of nothing', () => expect(margin(point('1'), point('0'))).toBeNull())
  it('is none of less than nothing', () => expect(margin(point('1'), point('-3'))).toBeNull())
  it('is none where either is not filed', () => {
    expect([margin(undefined, point('3')), margin(point('1'), undefined)]).toEqual([null, null])
  })
  it('is none in two currencies', () => {
    expect(margin(point('1', '2024-12-31', { unit: 'EUR' }), point('4'))).toBeNull()
  })
})

it('each ratio divides the two figures in its name', () => {
  expect(
    printed({
      revenue: [point('1000'), yearAgo('800')],
      operating_income: [point('200')],
      net_income: [point('150'), yearAgo('100')],
      total_assets: [point('2000')],
      total_liabilities: [point('1500')],
      cash: [point('300')],
      operating_cash_flow: [point('180')],
    }),
  ).toEqual({
    revenue_growth_pct: 25,
    net_income_growth_pct: 50,
    operating_margin_pct: 20,
    net_margin_pct: 15,
    liabilities_to_assets_pct: 75,
    cash_to_liabilities_pct: 20,
    operating_cash_flow_to_net_income: 1.2,
  })
})

it('an older year is not used', () => {
  const old = (value: string) => point(value, '2022-12-31')
  const ratios = printed({
    revenue: [old('100'), point('80', '2021-12-31')],
    net_income: [point('5')],
    total_assets: [old('10')],
    total_liabilities: [old('5')],
  })
  expect(new Set(Object.values(ratios))).toEqual(new Set([null]))
})

it('cash flow is not compared with a loss', () => {
  const ratios = printed({ operating_cash_flow: [point('180')], net_income: [point('-1')] })
  expect(ratios.operating_cash_flow_to_net_income).toBeNull()
})

it('liabilities that are not filed are not derived', () => {
  const ratios = printed({
    total_assets: [point('2000')],
    stockholders_equity: [point('500')],
    cash: [point('1')],
  })
  expect([ratios.liabilities_to_assets_pct, ratios.cash_to_liabilities_pct]).toEqual([null, null])
})

describe('liabilities that are not tagged', () => {
  const given: Given = { total_assets: [point('1000')], cash: [point('30')], total_equity: [point('400')] }

  it('are assets less total equity in the ratios, and a note says so', () => {
    expect(printed(given)).toMatchObject({ liabilities_to_assets_pct: 60, cash_to_liabilities_pct: 5 })
    expect(told(given).note).toMatch(/total assets less total equity, noncontrolling interests included/)
  })

  it('are not computed if they are tagged', () => {
    const tagged = { ...given, total_liabilities: [point('500')] satisfies [MetricPoint] }
    expect(printed(tagged)).toMatchObject({ liabilities_to_assets_pct: 50, cash_to_liabilities_pct: 6 })
    expect(told(tagged).note).toBeUndefined()
  })

  it.each<[string, MetricPoint | undefined]>([
    ['without total equity', undefined],
    ['with equity of another day', point('400', '2024-12-30')],
    ['with equity in another currency', point('400', '2024-12-31', { unit: 'EUR' })],
  ])('are none %s', (_what, equity) => {
    const { ratios, note } = told({ ...given, total_equity: [equity] })
    expect(ratios).toMatchObject({ liabilities_to_assets_pct: null, cash_to_liabilities_pct: null })
    expect(note).toBeUndefined()
  })
})
