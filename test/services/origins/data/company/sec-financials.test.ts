import { describe, expect, it } from 'vitest'
import { financialsOf } from '../../../../../pipelines/domains/company/financials.ts'
import { secCompanies } from '../../../../../schemas/sec-companies.ts'
import { secFilings } from '../../../../../schemas/sec-filings.ts'
import {
  secFinancials as dataset,
  metricNames,
  secFinancialsAsOf,
} from '../../../../../schemas/sec-financials.ts'
import { secFinancials } from '../../../../../services/origins/data/company/sec-financials.ts'
import { factsIn } from '../../../../pipelines/domains/company/companyfacts.ts'
import { ask, askText } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, cik, company, filing, loadedCompany, ofFacts } from './a-company.ts'

describe('a company that is loaded', () => {
  it('is answered with every metric, and null for those it does not file', async () => {
    const { metrics } = await ask(secFinancials, { ticker: 'EXD' }, asking(loadedCompany()))
    expect(Object.keys(metrics)).toEqual([...metricNames])
    expect(metrics.total_liabilities).toBeNull()
    expect(metrics.revenue?.annual).toHaveLength(4)
    expect(metrics.revenue?.annual[0]).toEqual({
      period_start: '2024-01-01',
      period_end: '2024-12-31',
      value: 1300000000,
      form: '10-K',
      filed: '2025-02-20',
      accession: '0009000003-25-000001',
    })
    expect(metrics.revenue).toMatchObject({
      concept: 'us-gaap:Revenue'.concat('FromContractWithCustomerExcludingAssessedTax'),
      unit: 'USD',
    })
  })

  it('is answered with the digits of the filing, not with those of a float', async () => {
    const text = await askText(
      secFinancials,
      { cik: 9000001 },
      asking(
        new Loaded()
          .put(secCompanies, [company({ cik: 9000001 })])
          .put(dataset, [ofFacts('weeks-52-53', 9000001)]),
      ),
    )
    expect(text).toContain('"value":4.0,')
  })

  it('has a note about everything irregular', async () => {
    const { note } = await ask(secFinancials, { cik }, asking(loadedCompany()))
    expect(note).toMatch(/none is derived\. Changed by a later filing/)
  })

  it('is answered without a fetch, and serialised once', async () => {
    const asked = asking(loadedCompany())
    const first = await askText(secFinancials, { cik }, asked)
    expect(await askText(secFinancials, { ticker: 'EXD' }, asked)).toBe(first)
    expect(asked.fetched).toEqual([])
  })

  it('is answered anew once its name changed', async () => {
    const asked = asking(loadedCompany())
    await ask(secFinancials, { cik }, asked)
    asked.looked.put(secCompanies, [company({ name: 'Example Robotics Inc.' })])
    expect((await ask(secFinancials, { cik }, asked)).name).toBe('Example Robotics Inc.')
  })

  it('is answered anew once its facts changed', async () => {
    const asked = asking(loadedCompany())
    await ask(secFinancials, { cik }, asked)
    const { points, ...rest } = ofFacts()
    asked.looked.put(dataset, [{ ...rest, points: points.slice(1) }])
    expect((await ask(secFinancials, { cik }, asked)).metrics.revenue?.annual).toHaveLength(3)
  })
})

describe('facts that are not loaded', () => {
  const reports = new Loaded().put(secCompanies, [company()]).put(secFilings, [filing('10-K', '2025-02-20')])

  it('are fetched where the company files reports in XBRL', async () => {
    const asked = asking(reports, { company: loaded => Boolean(loaded.put(dataset, [ofFacts()])) })
    expect((await ask(secFinancials, { cik }, asked)).metrics.revenue).not.toBeNull()
    expect(asked.fetched).toEqual(['company'])
  })

  it('are not ready if they do not appear after the fetch', async () => {
    const bare = new Loaded().put(secCompanies, [company()]).put(secFilings, [filing('10-K', '2025-02-20')])
    await expect(ask(secFinancials, { cik }, asking(bare, { company: () => true }))).rejects.toMatchObject({
      code: 'not_ready',
      status: 503,
    })
  })
})

describe('as of a past day', () => {
  const asOf = (loaded: Loaded, day: string) =>
    loaded.put(secFinancialsAsOf, [
      {
        ...financialsOf(
          cik,
          factsIn(
            new URL('../../../../recorded/sec-answers/restated-and-split.json', import.meta.url),
          ).filter(({ filed }) => filed <= day),
          day,
        ),
        as_of: day,
      },
    ])

  it('the figures are those known on that day', async () => {
    const asked = asking(loadedCompany(), { asOf: (loaded, day) => void asOf(loaded, day) })
    const before = await ask(secFinancials, { cik, as_of: '2023-06-30' }, asked)
    expect(before.as_of).toBe('2023-06-30')
    expect(before.metrics.revenue?.annual[0]).toMatchObject({ period_end: '2022-12-31', value: 1000000000 })
    const { metrics } = await ask(secFinancials, { cik }, asked)
    expect(metrics.revenue?.annual[2]).toMatchObject({
      period_end: '2022-12-31',
      value: 990000000,
      restated: { was: 1000000000, accession: '0009000003-23-000001' },
    })
    await ask(secFinancials, { cik, as_of: '2023-06-30' }, asked)
    expect(asked.fetched).toEqual(['financials_as_of'])
  })

  it('a day before its first report has none, free', async () => {
    const asked = asking(loadedCompany(), { asOf: (loaded, day) => void asOf(loaded, day) })
    expect(await refusal(secFinancials, { cik, as_of: '2010-01-01' }, asked)).toMatchObject({
      status: 422,
      error: 'no_financial_data',
      message: 'Example Devices Inc. had filed no financial data in XBRL by 2010-01-01. Nothing was charged.',
    })
  })

  it('a future day is refused, free', async () => {
    expect(await refusal(secFinancials, { cik, as_of: '2025-07-01' }, asking(loadedCompany()))).toMatchObject(
      {
        status: 400,
        error: 'future_date',
        charged: false,
      },
    )
  })
})

describe('the reports of a heavy filer', () => {
  const notes = Array.from({ length: 1200 }, (_, i) =>
    filing('424B2', '2025-06-20', { accession: `0009000003-25-9${String(i).padStart(5, '0')}` }),
  )

  it('are asked for by form, wherever they lie among its filings', async () => {
    const bank = new Loaded()
      .put(secCompanies, [company({ filing_count: 1201 })])
      .put(secFilings, [...notes, filing('10-K', '2025-02-20')])
    const asked = asking(bank, { company: loaded => Boolean(loaded.put(dataset, [ofFacts()])) })
    expect((await ask(secFinancials, { cik }, asked)).metrics.revenue).not.toBeNull()
  })

  it('are asked of EDGAR where none of them is loaded', async () => {
    const bank = new Loaded().put(secCompanies, [company({ filing_count: 3000 })]).put(secFilings, notes)
    const asked = asking(bank, { company: loaded => Boolean(loaded.put(dataset, [ofFacts()])) })
    expect((await ask(secFinancials, { cik }, asked)).metrics.revenue).not.toBeNull()
    expect(asked.fetched).toEqual(['company'])
  })
})

it('figures of an older archive never replace those of newer reports', async () => {
  const { points, ...rest } = ofFacts()
  const older = points.filter(({ filed }) => filed < '2025-01-01')
  const loaded = loadedCompany().put(dataset, [{ ...rest, points: older, filed: '2024-02-20' }])
  const { metrics } = await ask(secFinancials, { cik }, asking(loaded))
  expect(metrics.revenue?.annual[0]?.period_end).toBe('2024-12-31')
})

describe('is refused, free:', () => {
  const told = { status: 422, error: 'no_financial_data', charged: false }

  it('no_financial_data of a company whose facts hold none', async () => {
    const empty = loadedCompany().put(dataset, [
      { cik, currency: '', points: [], quarters: [], notes: [], filed: '2025-06-01' },
    ])
    expect(await refusal(secFinancials, { cik }, asking(empty))).toEqual({
      ...told,
      message: 'Example Devices Inc. files no financial data in XBRL. Nothing was charged.',
    })
  })

  it('no_financial_data of a filer of no reports, without asking EDGAR', async () => {
    const person = new Loaded()
      .put(secCompanies, [company({ name: 'Doe Jane', entity_type: 'other', filing_count: 1 })])
      .put(secFilings, [filing('4', '2025-05-02')])
    const asked = asking(person)
    expect(await refusal(secFinancials, { cik }, asked)).toMatchObject(told)
    expect(asked.fetched).toEqual([])
  })

  it('missing_company, conflicting_company, unknown_ticker, unknown_company', async () => {
    const asked = asking(loadedCompany())
    const codes = await Promise.all(
      [{}, { ticker: 'EXD', cik: 1 }, { ticker: 'ZZZZ' }, { cik: 1 }].map(body =>
        refusal(secFinancials, body, asked),
      ),
    )
    expect(codes.map(({ error }) => error)).toEqual([
      'missing_company',
      'conflicting_company',
      'unknown_ticker',
      'unknown_company',
    ])
  })
})
