import { describe, expect, it } from 'vitest'
import { financialsOf } from '../../../../pipelines/domains/company/financials.ts'
import type { SecFact } from '../../../../schemas/sec-facts.ts'
import type { MetricName, SecFinancials } from '../../../../schemas/sec-financials.ts'
import { factsIn } from './companyfacts.ts'

const today = '2026-11-21'
const recorded = (name: string) =>
  factsIn(new URL(`../../../recorded/sec-answers/${name}.json`, import.meta.url))
const financials = (facts: readonly SecFact[]) => financialsOf(facts[0]?.cik ?? 0, facts, today)

const points = (of: SecFinancials, metric: MetricName) => of.points.filter(point => point.metric === metric)
/** "2025-02-01 1040000000" of each fiscal year, newest first. */
const years = (of: SecFinancials, metric: MetricName) =>
  points(of, metric)
    .filter(({ span }) => span === 'year')
    .map(({ period_end, value }) => `${period_end} ${value}`)
const quarter = (of: SecFinancials, metric: MetricName) =>
  points(of, metric).find(({ span }) => span === 'quarter')
const yearToDate = (of: SecFinancials) =>
  points(of, 'operating_cash_flow').find(({ span }) => span === 'year_to_date')
const concepts = (of: SecFinancials, metric: MetricName) => points(of, metric).map(({ concept }) => concept)

const without = (facts: readonly SecFact[], ...names: string[]) =>
  facts.filter(({ concept }) => !names.includes(concept))
const change = (
  facts: readonly SecFact[],
  concept: string,
  to: Partial<SecFact>,
  where: Partial<SecFact> = {},
) =>
  facts.map(fact =>
    fact.concept === concept &&
    Object.entries(where).every(([key, value]) => fact[key as keyof SecFact] === value)
      ? { ...fact, ...to }
      : fact,
  )

describe('a retailer with years of 52 and 53 weeks', () => {
  const facts = recorded('weeks-52-53')
  const retailer = financials(facts)

  it('has its four newest fiscal years, found by their lengths', () => {
    expect(years(retailer, 'revenue')).toEqual([
      '2025-02-01 1040000000',
      '2024-02-03 1010000000',
      '2023-01-28 950000000',
      '2022-01-29 900000000',
    ])
  })

  it('has a first quarter of sixteen weeks, and no newer quarter before it', () => {
    expect(quarter(retailer, 'revenue')).toMatchObject({
      period_start: '2025-02-02',
      period_end: '2025-05-24',
    })
    expect(quarter(retailer, 'total_assets')).toMatchObject({ period_start: null, period_end: '2025-05-24' })
  })

  it('never finds a period by the fiscal year of the filing, which comparisons share', () => {
    const wrong = facts.filter(fact => fact.fy === 2025 && fact.fp === 'FY' && fact.concept === 'Assets')
    expect(wrong.map(({ period_end }) => period_end)).toEqual(['2025-02-01', '2024-02-03'])
    expect(years(retailer, 'total_assets').slice(0, 2)).toEqual([
      '2025-02-01 520000000',
      '2024-02-03 505000000',
    ])
  })

  it('takes its shares from the cover of each year’s own report', () => {
    expect(years(retailer, 'shares_outstanding')).toEqual([
      '2025-03-14 100000003',
      '2024-03-14 100000002',
      '2023-03-14 100000001',
      '2022-03-14 100000000',
    ])
    expect(points(retailer, 'shares_outstanding')[1]).toMatchObject({ fiscal_year_end: '2024-02-03' })
    expect(quarter(retailer, 'shares_outstanding')?.value).toBe('100000009')
  })

  it('keeps the digits of the filing', () => {
    expect(years(retailer, 'eps_diluted').at(-1)).toBe('2022-01-29 4.0')
  })

  it('has the cash flow of a first quarter as three months and as the year to date', () => {
    expect(quarter(retailer, 'operating_cash_flow')?.value).toBe('50000000')
    expect(yearToDate(retailer)?.value).toBe('50000000')
    expect(retailer.notes).toEqual([])
  })

  it('keeps the third quarter when the annual report is the newest, and says so', () => {
    const asOfApril = financials(
      facts.map(fact => (fact.form === '10-Q' ? { ...fact, ...shifted(fact, -224) } : fact)),
    )
    expect(quarter(asOfApril, 'revenue')?.period_end).toBe('2024-10-12')
    expect(asOfApril.notes).toContainEqual(
      expect.stringContaining('no report is filed for a fourth quarter alone'),
    )
  })

  it('has no quarter after quarterly reports have stopped for long', () => {
    const foreign = financials(
      facts.map(fact => (fact.form === '10-Q' ? { ...fact, ...shifted(fact, -600) } : fact)),
    )
    expect(foreign.points.filter(({ span }) => span === 'quarter')).toEqual([])
  })
})

const wholeYear = (fact: SecFact): Partial<SecFact> => ({
  period_start: fact.period_start && '2025-01-01',
  period_end: '2025-12-31',
  days: fact.period_start ? 364 : 0,
  filed: '2026-02-10',
})

function shifted(fact: SecFact, days: number): Partial<SecFact> {
  const plus = (day: string) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
  return {
    period_start: fact.period_start && plus(fact.period_start),
    period_end: plus(fact.period_end),
    filed: plus(fact.filed),
  }
}

describe('a moved year end', () => {
  const moved = financials(recorded('changed-year-end'))

  it('leaves out the transition period and the twelve months compared with it', () => {
    expect(years(moved, 'revenue')).toEqual([
      '2024-12-31 140000000',
      '2023-12-31 130000000',
      '2022-06-30 110000000',
      '2021-06-30 100000000',
    ])
  })

  it('says so', () => {
    expect(moved.notes).toContain('10-KT transition period 2022-07-01 to 2022-12-31 omitted.')
    expect(moved.notes).toContain(
      'No twelve-month period is filed between the fiscal years ended 2022-06-30 and 2023-12-31.',
    )
  })
})

describe('a restatement, then a split', () => {
  const facts = recorded('restated-and-split')
  const split = financials(facts)

  it('takes the last filed value', () => {
    expect(years(split, 'revenue')[2]).toBe('2022-12-31 990000000')
    expect(years(split, 'eps_diluted')).toEqual([
      '2024-12-31 1.5',
      '2023-12-31 1.2',
      '2022-12-31 0.97',
      '2021-12-31 3.6',
    ])
  })

  it('keeps the share count of each cover, whatever a later amendment counts', () => {
    expect(years(split, 'shares_outstanding').slice(0, 2)).toEqual([
      '2025-02-10 100000000',
      '2024-02-10 25000000',
    ])
  })

  it('never takes a recast from an 8-K', () => {
    expect(facts.some(({ form, value }) => form === '8-K' && value === '1290000000')).toBe(true)
    expect(years(split, 'revenue')[0]).toBe('2024-12-31 1300000000')
  })

  it('names the changes', () => {
    expect(split.notes).toContain(
      'Changed by a later filing since first filed: revenue 2022-12; net_income 2022-12; eps_diluted 2023-12, 2022-12.',
    )
  })

  it('takes the higher accession of two filings on one day', () => {
    const twice = facts.flatMap(fact =>
      fact.concept === 'Assets' && fact.period_end === '2024-12-31'
        ? [
            fact,
            { ...fact, accession: '0009000003-25-000002', value: '7' },
            { ...fact, accession: '0009000003-25-000000', value: '8' },
          ]
        : [fact],
    )
    expect(years(financials(twice), 'total_assets')[0]).toBe('2024-12-31 7')
  })
})

describe('several classes of shares', () => {
  const facts = recorded('share-classes')
  const classes = financials(facts)

  it('takes no count of shares from a placeholder, and says why', () => {
    expect(points(classes, 'shares_outstanding')).toEqual([])
    expect(classes.notes).toContainEqual(expect.stringMatching(/^shares_outstanding: no single count/))
  })

  it('takes a real count from the balance sheet, and names the source', () => {
    const real = financials(change(facts, 'CommonStockSharesOutstanding', { value: '12116000000' }))
    expect(years(real, 'shares_outstanding')[0]).toBe('2024-12-31 12116000000')
    expect(real.notes).toContainEqual(expect.stringMatching(/^shares_outstanding from us-gaap:CommonStock/))
  })

  it('believes a small count that fits the weighted average', () => {
    const small = financials(
      change(
        change(facts, 'CommonStockSharesOutstanding', { value: '940000' }),
        'WeightedAverageNumberOfDilutedSharesOutstanding',
        {
          value: '941000',
        },
      ),
    )
    expect(years(small, 'shares_outstanding')).toEqual(['2024-12-31 940000', '2023-12-31 940000'])
  })

  it('has no computed earnings per share', () => {
    expect(points(classes, 'eps_diluted')).toEqual([])
    expect(classes.notes).toContainEqual(expect.stringMatching(/^eps_diluted: no figure for the company/))
  })

  it('has no liabilities computed as the rest of assets', () => {
    expect(points(classes, 'total_liabilities')).toEqual([])
    expect(classes.notes).toContainEqual(expect.stringMatching(/^total_liabilities: .* none is derived/))
  })

  it('takes the parent’s equity for each year that has it', () => {
    expect(years(classes, 'stockholders_equity')).toEqual(['2024-12-31 2024000005', '2023-12-31 2023000000'])
    expect(classes.notes).toContain('stockholders_equity 2023-12 from us-gaap:StockholdersEquity.')
  })

  it('says that cash includes restricted cash', () => {
    expect(classes.notes).toContainEqual(
      expect.stringMatching(/^cash from .*\(restricted cash included\)\.$/),
    )
  })
})

describe('revenue', () => {
  it('of a bank is its gross interest income if it tags no total, and says so', () => {
    const facts = recorded('bank')
    const bank = financials(facts)
    expect(years(bank, 'revenue')[0]).toBe('2024-12-31 202400000')
    expect(bank.notes).toContainEqual(
      expect.stringContaining('gross interest income; the filer tags no total'),
    )
    expect(points(bank, 'operating_income')).toEqual([])
    expect(concepts(bank, 'cash')).toEqual(['us-gaap:CashAndDueFromBanks', 'us-gaap:CashAndDueFromBanks'])
    const net = change(facts, 'NoninterestIncome', { concept: 'RevenuesNetOfInterestExpense' })
    expect(concepts(financials(net), 'revenue')[0]).toBe('us-gaap:RevenuesNetOfInterestExpense')
  })

  it('of a bank stays with one concept, even in a year with larger fees', () => {
    const fees = change(
      recorded('bank'),
      'RevenueFromContractWithCustomerExcludingAssessedTax',
      { value: '300000000' },
      { period_end: '2023-12-31' },
    )
    expect(years(financials(fees), 'revenue')).toEqual(['2024-12-31 202400000', '2023-12-31 202300000'])
  })

  it('of a bank is its gross interest income under either tag, compared with contract revenue under either tag', () => {
    const facts = recorded('bank')
    const interest = 'InterestAndDividendIncomeOperating'
    const contracts = 'RevenueFromContractWithCustomerExcludingAssessedTax'
    const including = 'RevenueFromContractWithCustomerIncludingAssessedTax'
    for (const tags of [
      { [interest]: 'InterestIncomeOperating' },
      { [contracts]: including },
      { [interest]: 'InterestIncomeOperating', [contracts]: including },
      { [contracts]: 'OperatingLeasesIncomeStatementLeaseRevenue' },
    ] as Record<string, string>[]) {
      const bank = financials(facts.map(fact => ({ ...fact, concept: tags[fact.concept] ?? fact.concept })))
      expect(years(bank, 'revenue')).toEqual(['2024-12-31 202400000', '2023-12-31 202300000'])
      expect(bank.notes).toContainEqual(expect.stringContaining('gross interest income'))
    }
  })

  it('is never the interest on a company’s own cash', () => {
    const own = change(
      without(recorded('bank'), 'RevenueFromContractWithCustomerExcludingAssessedTax'),
      'InterestAndDividendIncomeOperating',
      { concept: 'InvestmentIncomeInterestAndDividend' },
    )
    expect(points(financials(own), 'revenue')).toEqual([])
  })

  it.each(['UtilityRevenue', 'HealthCareOrganizationPatientServiceRevenue', 'ContractsRevenue'])(
    'is %s if an old filer tags no other total',
    concept => {
      const renamed = change(recorded('reit'), 'OperatingLeaseLeaseIncome', { concept })
      const old = without(renamed, 'RevenueFromContractWithCustomerExcludingAssessedTax')
      expect(years(financials(old), 'revenue')).toEqual(['2024-12-31 404800000', '2023-12-31 404600000'])
    },
  )

  it('is the largest of the lines that replace a total', () => {
    const utility = change(
      change(recorded('reit'), 'OperatingLeaseLeaseIncome', { concept: 'UtilityRevenue' }),
      'RevenueFromContractWithCustomerExcludingAssessedTax',
      { concept: 'ElectricUtilityRevenue' },
    )
    expect(concepts(financials(utility), 'revenue')[0]).toBe('us-gaap:UtilityRevenue')
  })

  it('of an insurer is its total; premiums only if there is none', () => {
    const facts = recorded('insurer')
    expect(years(financials(facts), 'revenue')[0]).toBe('2024-12-31 2024000000')
    const untotalled = financials(without(facts, 'Revenues'))
    expect(concepts(untotalled, 'revenue')[0]).toBe('us-gaap:PremiumsEarnedNet')
    expect(untotalled.notes).toContainEqual(expect.stringContaining('premiums earned'))
  })

  it('of a lessor is its rent, not the fees of tenants', () => {
    const reit = financials(recorded('reit'))
    expect(concepts(reit, 'revenue')).toEqual([
      'us-gaap:OperatingLeaseLeaseIncome',
      'us-gaap:OperatingLeaseLeaseIncome',
    ])
    expect(years(reit, 'net_income')).toEqual(['2024-12-31 58000000', '2023-12-31 58000000'])
  })

  it('is the larger line if the nominal total is below 0.7 of it', () => {
    const facts = recorded('parts-of-a-total')
    expect(years(financials(facts), 'revenue')).toEqual(['2014-12-31 83062000000', '2013-12-31 82000000000'])
    const closer = change(facts, 'Revenues', { value: '58143400000' })
    expect(concepts(financials(closer), 'revenue')[0]).toBe('us-gaap:Revenues')
  })

  it('follows the concept of the newest year, not the first tag in the list', () => {
    const facts = recorded('parts-of-a-total')
    const stale = change(
      without(facts, 'Revenues'),
      'SalesRevenueNet',
      {
        taxonomy: 'us-gaap',
        concept: 'RevenueFromContractWithCustomerExcludingAssessedTax',
      },
      { period_end: '2013-12-31' },
    )
    const told = financials(stale)
    expect(concepts(told, 'revenue')[0]).toBe('us-gaap:SalesRevenueNet')
    expect(told.notes).toContain(
      'revenue 2013-12 from us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax.',
    )
  })

  it('is the value that fits the year before, if two lines differ by a factor of fifty', () => {
    const facts = recorded('parts-of-a-total')
    const mistaken = change(facts, 'Revenues', { value: '83062000000000' }, { period_end: '2014-12-31' })
    expect(years(financials(mistaken), 'revenue')[0]).toBe('2014-12-31 83062000000')
  })
})

describe('a foreign filer', () => {
  const facts = recorded('ifrs-euro')
  const foreign = financials(facts)

  it('is in its own currency, even if it adds dollars for convenience', () => {
    expect(foreign.currency).toBe('EUR')
    expect(years(foreign, 'revenue')).toEqual([
      '2024-12-31 2024000000',
      '2023-12-31 2023000000',
      '2022-12-31 2022000000',
    ])
    expect(foreign.notes[0]).toBe('Amounts are in EUR, the reporting currency.')
    expect(points(foreign, 'eps_diluted')[0]?.unit).toBe('EUR/shares')
  })

  it('uses its own taxonomy, and the parent’s part', () => {
    expect(concepts(foreign, 'net_income')[0]).toBe('ifrs-full:ProfitLossAttributableToOwnersOfParent')
  })

  it('has a quarter if a 6-K brings one; a domestic 6-K does not count', () => {
    expect(quarter(foreign, 'revenue')?.value).toBe('510000000')
    const home = financials(facts.map(fact => (fact.form === '20-F' ? { ...fact, form: '10-K' } : fact)))
    expect(quarter(home, 'revenue')).toBeUndefined()
  })

  it('has a year if a 6-K brings one; a domestic 6-K does not count', () => {
    const early = facts.map(fact => (fact.form === '6-K' ? { ...fact, ...wholeYear(fact) } : fact))
    expect(years(financials(early), 'revenue')[0]).toBe('2025-12-31 510000000')
    const home = early.map(fact => (fact.form === '20-F' ? { ...fact, form: '10-K' } : fact))
    expect(years(financials(home), 'revenue')[0]).toBe('2024-12-31 2024000000')
  })

  it('uses US GAAP after it has changed to it, whatever quarters it had before', () => {
    const later = facts
      .filter(({ accession }) => accession === '0009000008-25-000001')
      .filter(({ concept, unit }) => concept === 'Assets' && unit === 'EUR')
      .map(fact => ({ ...fact, taxonomy: 'us-gaap', period_end: '2025-01-31', filed: '2025-04-30' }))
    expect(concepts(financials([...facts, ...later]), 'total_assets')).not.toContain('ifrs-full:Assets')
  })

  it('is in dollars if its filing has as many dollars as another currency', () => {
    const doubled = facts
      .filter(({ unit }) => unit === 'EUR')
      .flatMap(fact => [fact, { ...fact, unit: 'USD', value: `${fact.value}0` }])
    expect(financials(doubled).currency).toBe('USD')
  })
})

describe('a blank check company', () => {
  const shell = financials(recorded('shell'))

  it('has its first period however short, which its dates and a note show', () => {
    expect(points(shell, 'net_income').map(({ period_start }) => period_start)).toEqual([
      '2022-01-01',
      '2021-02-10',
    ])
    expect(shell.notes[0]).toBe(
      'The fiscal year ended 2021-12-31 is the first period of the company, begun 2021-02-10.',
    )
  })

  it('has no revenue, and its cash without the trust account', () => {
    expect(points(shell, 'revenue')).toEqual([])
    expect(years(shell, 'cash')).toEqual(['2022-12-31 90000', '2021-12-31 650000'])
  })
})

describe('a quarterly report', () => {
  const facts = recorded('year-to-date')
  const platform = financials(facts)

  it('has three months and nine with one end: the three are the quarter', () => {
    expect(quarter(platform, 'revenue')).toMatchObject({ value: '129556000', period_start: '2023-07-01' })
  })

  it('has the year to date of its cash flow in place of three missing months, and says so', () => {
    expect(quarter(platform, 'operating_cash_flow')).toBeUndefined()
    expect(yearToDate(platform)).toMatchObject({ value: '30000000', period_start: '2023-01-01' })
    expect(platform.notes).toContain(
      'operating_cash_flow is filed for the year to date alone, 2023-01-01 to 2023-09-30: see year_to_date.',
    )
  })

  it('has three months of cash flow if filed, and also the year to date', () => {
    const [months] = facts.filter(({ concept, days }) => concept === 'Revenues' && days === 91)
    if (!months) throw new Error('no quarter')
    const both = [...facts, { ...months, concept: 'NetCashProvidedByUsedInOperatingActivities', value: '1' }]
    expect(quarter(financials(both), 'operating_cash_flow')?.value).toBe('1')
    expect(yearToDate(financials(both))?.value).toBe('30000000')
  })

  it('is not disturbed by plans: no year ends after its filing', () => {
    const [year] = facts.filter(({ concept, form }) => concept === 'Revenues' && form === '10-K')
    if (!year) throw new Error('no year')
    const plan = { ...year, period_start: '2024-01-01', period_end: '2024-12-31', value: '9' }
    expect(years(financials([...facts, plan]), 'revenue')).toEqual(['2022-12-31 276000000'])
  })

  it('is not disturbed by a future date, in another taxonomy either', () => {
    const [moment] = facts.filter(({ period_end }) => period_end === '2031-12-31')
    if (!moment) throw new Error('no moment')
    const elsewhere = facts.map(fact => (fact === moment ? { ...fact, taxonomy: 'ifrs-full' } : fact))
    expect(financials(elsewhere).points).toEqual(platform.points)
  })

  it('is not disturbed by future years, nor by facts of no fiscal year', () => {
    expect(facts.some(({ fy }) => fy === null)).toBe(true)
    expect(years(platform, 'net_income')).toEqual(['2022-12-31 -156000000'])
    expect(years(platform, 'total_assets')).toEqual(['2022-12-31 1041000000'])
  })

  it('is enough if there is no annual report yet', () => {
    const young = financials(facts.filter(({ form }) => form !== '10-K'))
    expect(quarter(young, 'revenue')?.value).toBe('129556000')
    expect(young.notes).toContain('No annual report with data is filed yet.')
  })
})

it('an amount without a currency does not count', () => {
  const wrong = recorded('parts-of-a-total').map(fact =>
    fact.unit === 'USD' ? { ...fact, unit: 'pure' } : fact,
  )
  expect(financials(wrong).points).toEqual([])
})

it('a cover page alone has no financial data', () => {
  expect(financials(recorded('cover-only'))).toEqual({
    cik: 9000012,
    currency: '',
    points: [],
    quarters: [],
    notes: [],
    filed: '2025-02-10',
  })
})

it('net income uses one concept for all years', () => {
  const facts = recorded('reit')
  const mixed = facts.filter(
    ({ concept, period_end }) => !(concept === 'NetIncomeLoss' && period_end === '2023-12-31'),
  )
  expect(years(financials(mixed), 'net_income')).toEqual(['2024-12-31 58000000'])
  const whole = financials(without(facts, 'NetIncomeLoss'))
  expect(years(whole, 'net_income')).toEqual(['2024-12-31 61000000', '2023-12-31 61000000'])
  expect(whole.notes).toContain('net_income from us-gaap:ProfitLoss (noncontrolling interests included).')
})

describe('net income', () => {
  const parent = 'NetIncomeLoss'
  const wholly = (facts: readonly SecFact[]) => change(facts, 'ProfitLoss', { value: '58000000' })

  it('prefers the whole to common stock alone, which a note names', () => {
    const common = change(recorded('reit'), parent, {
      concept: 'NetIncomeLossAvailableToCommonStockholdersBasic',
    })
    expect(concepts(financials(common), 'net_income')[0]).toBe('us-gaap:ProfitLoss')
    const alone = financials(without(common, 'ProfitLoss'))
    expect(years(alone, 'net_income')[0]).toBe('2024-12-31 58000000')
    expect(alone.notes).toContain(
      'net_income from us-gaap:NetIncomeLossAvailableToCommonStockholdersBasic (after preferred dividends).',
    )
  })

  it('continues across a change of tag if both tags were always equal', () => {
    const facts = wholly(recorded('reit'))
    const earlier = facts
      .filter(({ concept, period_end }) => concept === parent && period_end === '2023-12-31')
      .map(fact => ({ ...fact, period_start: '2022-01-01', period_end: '2022-12-31', value: '57000000' }))
    const changed = [...facts, ...earlier].filter(
      ({ concept, period_end }) => !(concept === parent && period_end === '2024-12-31'),
    )
    const told = financials(changed)
    expect(years(told, 'net_income')).toEqual([
      '2024-12-31 58000000',
      '2023-12-31 58000000',
      '2022-12-31 57000000',
    ])
    expect(told.notes.join(' ')).not.toContain('noncontrolling interests included')
  })
})

describe('total equity', () => {
  it('includes noncontrolling interests', () => {
    const facts = recorded('reit')
    const equity = (of: readonly SecFact[]) =>
      financials(of).points.find(({ metric }) => metric === 'total_equity')?.value
    expect(equity(facts)).toBe('2000000000')
    const whole = 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest'
    expect(equity(without(facts, whole))).toBe('1900000000')
    expect(equity(change(facts, whole, { concept: 'MinorityInterest', value: '100000000' }))).toBeUndefined()
  })
})

it('financials have the day of the newest filing behind them', () => {
  expect(financials(recorded('reit')).filed).toBe('2025-02-22')
})

describe('the last quarters', () => {
  const facts = recorded('year-to-date')
  const [year] = facts.filter(({ concept, form }) => concept === 'Revenues' && form === '10-K')
  const report = {
    ...(year as SecFact),
    form: '10-K',
    filed: '2024-03-15',
    accession: '0009000011-24-000001',
  }
  const year2023 = { ...report, period_start: '2023-01-01', period_end: '2023-12-31', days: 364 }
  const quarters = (of: SecFinancials, metric: MetricName, span = 'quarter') =>
    of.quarters.filter(point => point.metric === metric && point.span === span)
  const told = (of: SecFinancials, metric: MetricName) =>
    quarters(of, metric).map(({ period_end, value, derived_from }) => [
      period_end,
      value,
      derived_from.length,
    ])

  it('are as filed, newest first, at most eight', () => {
    expect(told(financials(facts), 'revenue').slice(0, 3)).toEqual([
      ['2023-09-30', '129556000', 0],
      ['2023-06-30', '98800000', 0],
      ['2023-03-31', '87300000', 0],
    ])
    expect(quarters(financials(facts), 'revenue').length).toBeLessThanOrEqual(8)
  })

  it('have the fourth computed from the year and the nine months, and say so', () => {
    const whole = financials([...facts, { ...year2023, value: '430000000' }])
    const [fourth] = quarters(whole, 'revenue')
    expect(fourth).toMatchObject({
      period_start: '2023-10-01',
      period_end: '2023-12-31',
      value: '114310000',
      accession: '0009000011-24-000001',
      derived_from: [
        { sign: 'plus', value: '430000000', period_start: '2023-01-01', accession: '0009000011-24-000001' },
        { sign: 'minus', value: '315690000', period_end: '2023-09-30' },
      ],
    })
  })

  it('after a year to date are computed, because cash flow has no others', () => {
    expect(told(financials(facts), 'operating_cash_flow')).toEqual([
      ['2023-09-30', '10000000', 2],
      ['2023-06-30', '10000000', 2],
      ['2023-03-31', '10000000', 0],
    ])
  })

  it('are never computed for a figure per share', () => {
    const perShare = [...facts, { ...year2023, value: '430000000' }].map(fact =>
      fact.concept === 'Revenues'
        ? { ...fact, concept: 'EarningsPerShareDiluted', unit: 'USD/shares' }
        : fact,
    )
    const of = financials(perShare)
    expect(told(of, 'eps_diluted')[0]).toEqual(['2023-09-30', '129556000', 0])
    expect(quarters(of, 'eps_diluted', 'ttm')).toEqual([])
  })

  it('have twelve months next to them: the year, plus the year to date, minus that of the year before', () => {
    const yearAgo = {
      ...report,
      form: '10-Q',
      period_start: '2022-01-01',
      period_end: '2022-09-30',
      days: 272,
      value: '200000000',
    }
    expect(quarters(financials([...facts, yearAgo]), 'revenue', 'ttm')).toMatchObject([
      {
        value: '391690000',
        period_start: '2022-10-01',
        period_end: '2023-09-30',
        derived_from: [
          { sign: 'plus', value: '276000000' },
          { sign: 'plus', value: '315690000' },
          { sign: 'minus', period_start: '2022-01-01', period_end: '2022-09-30' },
        ],
      },
    ])
    const whole = financials([...facts, { ...year2023, value: '430000000' }])
    expect(quarters(whole, 'revenue', 'ttm')).toMatchObject([{ value: '430000000', derived_from: [] }])
  })

  it('are computed from parts as they were at the time, whatever was changed since', () => {
    const nineMonths = {
      ...report,
      form: '10-Q',
      period_start: '2023-01-01',
      period_end: '2023-09-30',
      days: 272,
      value: '300000000',
      filed: '2024-11-10',
      accession: '0009000011-24-000009',
    }
    const changed = financials([...facts, { ...year2023, value: '430000000' }, nineMonths])
    expect(quarters(changed, 'revenue')[0]).toMatchObject({
      value: '114310000',
      derived_from: [{ value: '430000000' }, { value: '315690000' }],
    })
    const first = { ...nineMonths, period_start: '2024-01-01', period_end: '2024-03-31', days: 90 }
    const yearAgo = { ...first, period_start: '2023-01-01', period_end: '2023-03-31', value: '80000000' }
    const later = financials([...facts, { ...year2023, value: '430000000' }, first, yearAgo])
    expect(quarters(later, 'revenue', 'ttm')).toMatchObject([
      {
        derived_from: [{ value: '430000000' }, { value: '300000000' }, { value: '87300000', sign: 'minus' }],
      },
    ])
    expect(quarters(later, 'revenue').find(({ period_end }) => period_end === '2023-03-31')?.value).toBe(
      '80000000',
    )
  })

  it('are computed from the year and its other three quarters if its nine months are not filed', () => {
    expect(told(financials(facts), 'revenue')[3]).toEqual(['2022-12-31', '-9656000', 4])
    expect(quarters(financials(facts), 'revenue', 'ttm')).toMatchObject([{ value: '306000000' }])
  })

  it('fit the year: computed and filed quarters add up to it', () => {
    const whole = financials([...facts, { ...year2023, value: '430000000' }])
    const sum = quarters(whole, 'revenue')
      .slice(0, 4)
      .reduce((total, { value }) => total + Number(value), 0)
    expect(Math.abs(sum - 430_000_000)).toBeLessThan(200_000)
  })
})

describe('a restated year', () => {
  it.each<[string, string, boolean]>([
    ['6215818000', '6216000000', false],
    ['6216000000', '6215818000', false],
    ['-222200000', '-222000000', false],
    ['9946806000', '9956635000', true],
    ['1400000', '1000000', true],
    ['100000000', '99400000', true],
    ['5.61', '5.60', true],
    ['112.2', '5.61', true],
    ['0', '1000000', true],
  ])('%s, later %s, is restated: %s', (was, value, isRestated) => {
    const split = recorded('restated-and-split').map(fact => {
      const isIt = fact.concept.startsWith('Revenue') && fact.period_end === '2022-12-31'
      return isIt ? { ...fact, value: fact.value === '1000000000' ? was : value } : fact
    })
    const year = points(financials(split), 'revenue').find(({ period_end }) => period_end === '2022-12-31')
    expect([year?.value, year?.was]).toEqual([value, isRestated ? was : null])
  })

  it('has its former value, and the filing of it', () => {
    const split = financials(recorded('restated-and-split'))
    expect(
      points(split, 'revenue').map(({ period_end, was, was_accession }) => [period_end, was, was_accession]),
    ).toEqual([
      ['2024-12-31', null, null],
      ['2023-12-31', null, null],
      ['2022-12-31', '1000000000', '0009000003-23-000001'],
      ['2021-12-31', null, null],
    ])
  })
})
