/** Filers whose printed line stands under the name of another one. The figures are those of their annual reports. */
import { describe, expect, it } from 'vitest'
import { financialsOf } from '../../../../pipelines/domains/company/financials.ts'
import type { SecFact } from '../../../../schemas/sec-facts.ts'
import type { MetricName } from '../../../../schemas/sec-financials.ts'

type Figures = Record<number, Record<string, number>>

/** Millions, by year and concept, in one annual report. */
function filed(figures: Figures, { taxonomy = 'us-gaap', form = '10-K', day = '02-25' } = {}): SecFact[] {
  const newest = Math.max(...Object.keys(figures).map(Number))
  return Object.entries(figures).flatMap(([year, lines]) =>
    Object.entries(lines).map(([concept, millions]) => ({
      cik: 9,
      taxonomy,
      concept,
      unit: 'USD',
      period_start: `${year}-01-01`,
      period_end: `${year}-12-31`,
      days: 364,
      value: `${millions}000000`,
      accession: `0009000009-${String(newest + 1).slice(2)}-000001`,
      form,
      filed: `${newest + 1}-${day}`,
      fy: newest,
      fp: 'FY',
      frame: null,
    })),
  )
}

function told(facts: readonly SecFact[], metric: MetricName) {
  const { points, notes } = financialsOf(9, facts, '2026-11-21')
  const own = points.filter(point => point.metric === metric)
  return {
    values: own.map(({ period_end, value }) => `${period_end.slice(0, 4)} ${Number(value) / 1e6}`),
    concepts: [...new Set(own.map(({ concept }) => concept.split(':')[1]))],
    notes: notes.filter(note => note.startsWith(metric)),
  }
}

const common = 'NetIncomeLossAvailableToCommonStockholdersBasic'
const computed = 'ProfitLoss less NetIncomeLossAttributableToNoncontrollingInterest'
const minority = 'NetIncomeLossAttributableToNoncontrollingInterest'

describe('net income of a filer that tags none of the parent', () => {
  const insurer: Figures = {
    2020: { ProfitLoss: 8489, [minority]: 31, [common]: 8458 },
    2019: { ProfitLoss: 5120, [minority]: 16, [common]: 5104 },
    2018: { ProfitLoss: 2646, [minority]: 9, [common]: 2637 },
  }

  it('is the whole less the part of others, where that is filed', () => {
    expect(told(filed(insurer), 'net_income')).toEqual({
      values: ['2020 8458', '2019 5104', '2018 2637'],
      concepts: [common],
      notes: [`net_income from us-gaap:${common} (all of the parent’s: no preferred dividends).`],
    })
  })

  it('is never common stock’s after preferred dividends', () => {
    const preferred = { ...insurer, 2019: { ProfitLoss: 5120, [minority]: 16, [common]: 5004 } }
    expect(told(filed(preferred), 'net_income').values).toEqual(['2020 8458', '2019 5104', '2018 2637'])
    const newest = { ...insurer, 2020: { ProfitLoss: 8489, [minority]: 31, [common]: 8400 } }
    expect(told(filed(newest), 'net_income')).toMatchObject({
      values: ['2020 8458', '2019 5104', '2018 2637'],
      concepts: [computed, common],
      notes: [
        `net_income from us-gaap:${computed} (computed: the parent’s, before preferred dividends; the filer tags no such line).`,
        `net_income 2019-12, 2018-12 from us-gaap:${common} (all of the parent’s: no preferred dividends).`,
      ],
    })
  })

  it('is not computed where a loss of others may be tagged as their gain', () => {
    const turned: Figures = { 2020: { ProfitLoss: 8489, [minority]: -6000, [common]: 2489 } }
    expect(told(filed(turned), 'net_income').concepts).toEqual(['ProfitLoss'])
  })

  it('is not computed beside the parent’s own line', () => {
    const both: Figures = { 2020: { ProfitLoss: 8489, NetIncomeLoss: 8457, [minority]: 31, [common]: 8400 } }
    expect(told(filed(both), 'net_income').values).toEqual(['2020 8457'])
  })

  it('goes on where the filer tags the parent’s in another year', () => {
    const later = { ...insurer, 2021: { ProfitLoss: 5420, [minority]: 50, NetIncomeLoss: 5370 } }
    expect(told(filed(later), 'net_income')).toMatchObject({
      values: ['2021 5370', '2020 8458', '2019 5104', '2018 2637'],
      concepts: ['NetIncomeLoss', common],
    })
  })

  it('is the whole where nobody else has a part', () => {
    const alone: Figures = { 2020: { ProfitLoss: 100, [common]: 100 } }
    expect(told(filed(alone), 'net_income').concepts).toEqual(['ProfitLoss'])
  })
})

describe('revenue of a filer that tags its sales with the taxes on them as the total', () => {
  const oil: Figures = {
    2009: { SalesRevenueNet: 115892, CostsAndExpenses: 70000, OperatingIncomeLoss: 21869 },
    2008: { SalesRevenueNet: 146529, CostsAndExpenses: 92963, OperatingIncomeLoss: 25294 },
    2007: { SalesRevenueNet: 112425, CostsAndExpenses: 67284, OperatingIncomeLoss: 20451 },
  }
  const net: Record<string, number> = { 2009: 91869, 2008: 118257, 2007: 87735 }
  const withNet = (concept: string): Figures =>
    Object.fromEntries(
      Object.entries(oil).map(([year, lines]) => [year, { ...lines, [concept]: net[year] as number }]),
    )

  it.each(['RegulatedOperatingRevenue', 'ContractsRevenue', 'OilAndGasRevenue'])(
    'is the line that its operating income is counted from, under %s',
    concept => {
      expect(told(filed(withNet(concept), { form: '20-F', day: '05-20' }), 'revenue')).toEqual({
        values: ['2009 91869', '2008 118257', '2007 87735'],
        concepts: [concept],
        notes: [],
      })
    },
  )

  it('is the total, where no line fits, and where the total fits', () => {
    expect(told(filed(oil), 'revenue').values).toEqual(['2009 115892', '2008 146529', '2007 112425'])
    const fits: Figures = {
      2009: {
        Revenues: 91869,
        CostsAndExpenses: 70000,
        OperatingIncomeLoss: 21869,
        OilAndGasRevenue: 90000,
      },
    }
    expect(told(filed(fits), 'revenue').concepts).toEqual(['Revenues'])
  })
})

describe('revenue of a bank under IFRS', () => {
  const effective = 'InterestRevenueCalculatedUsingEffectiveInterestMethod'
  const bank: Figures = { 2024: { [effective]: 5200, Assets: 90000 }, 2023: { [effective]: 4700 } }
  const ifrs = { taxonomy: 'ifrs-full', form: '20-F' }

  it('is its interest, and a note says so', () => {
    expect(told(filed(bank, ifrs), 'revenue')).toEqual({
      values: ['2024 5200', '2023 4700'],
      concepts: [effective],
      notes: [
        `revenue from ifrs-full:${effective} (interest income by the effective interest method; the filer tags no total revenue).`,
      ],
    })
  })

  it('is never its fees alone, and always its total where one is tagged', () => {
    const fees = { ...bank, 2024: { ...bank[2024], RevenueFromContractsWithCustomers: 900 } }
    expect(told(filed(fees, ifrs), 'revenue').values).toEqual(['2024 5200', '2023 4700'])
    const total = { ...fees, 2024: { ...fees[2024], Revenue: 6100 } }
    expect(told(filed(total, ifrs), 'revenue').values[0]).toBe('2024 6100')
  })
})
