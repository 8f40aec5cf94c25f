import { describe, expect, it } from 'vitest'
import { secCompanies } from '../../../../../schemas/sec-companies.ts'
import { secFinancials as dataset, metricNames } from '../../../../../schemas/sec-financials.ts'
import { dataCompany } from '../../../../../services/origins/data/company/data-company.ts'
import { ask } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, cik, company, filing, loadedCompany, ofFacts } from './a-company.ts'

describe('a company that is loaded', () => {
  it('is answered with its two newest fiscal years and its filings', async () => {
    const filings = [
      filing('10-K', '2025-02-20'),
      ...Array.from({ length: 9 }, (_, i) => filing('4', `2025-03-0${i + 1}`)),
    ]
    const asked = asking(loadedCompany(filings))
    const answer = await ask(dataCompany, { ticker: 'EXD' }, asked)
    expect(answer).toMatchObject({
      cik,
      name: 'Example Devices Inc.',
      tickers: ['EXD', 'EXD-PA'],
      fiscal_year_end: '12-31',
    })
    expect(answer.recent_filings).toHaveLength(8)
    expect(Object.keys(answer.financials ?? {})).toEqual([...metricNames])
    expect(answer.financials?.revenue).toMatchObject({
      unit: 'USD',
      latest_annual: { period_end: '2024-12-31', value: 1300000000 },
      prior_annual: { period_end: '2023-12-31', value: 1100000000 },
      latest_quarter: null,
    })
    expect(answer.financials_note).toMatch(/none is derived/)
    expect(asked.fetched).toEqual([])
  })

  it('lists the requested form, and the requested number of filings', async () => {
    const filings = [filing('10-K', '2025-02-20'), filing('10-K', '2024-02-20'), filing('4', '2025-05-02')]
    const { recent_filings: found } = await ask(
      dataCompany,
      { cik, form: '10-K', filings: 1 },
      asking(loadedCompany(filings)),
    )
    expect(found.map(({ form, filed }) => [form, filed])).toEqual([['10-K', '2025-02-20']])
  })

  it('pairs counts of shares by fiscal year, not by the days of their covers', async () => {
    const { financials } = await ask(dataCompany, { cik }, asking(loadedCompany()))
    expect(financials?.shares_outstanding?.prior_annual).toMatchObject({ period_end: '2024-02-10' })
  })

  it('has no prior year after a transition period', async () => {
    const moved = ofFacts('changed-year-end', cik)
    const newest = moved.points.filter(point => point.fiscal_year_end !== '2024-12-31')
    const loaded = loadedCompany().put(dataset, [{ ...moved, points: newest, filed: '2025-06-01' }])
    const { financials } = await ask(dataCompany, { cik }, asking(loaded))
    expect(financials?.revenue).toMatchObject({
      latest_annual: { period_end: '2023-12-31' },
      prior_annual: null,
    })
  })

  it('is answered even if it files no financial data', async () => {
    const loaded = new Loaded().put(secCompanies, [company({ filing_count: 0 })])
    const answer = await ask(dataCompany, { cik }, asking(loaded))
    expect(answer).toMatchObject({
      financials: null,
      financials_note: 'Example Devices Inc. files no financial data in XBRL.',
    })
  })
})

describe('is refused, free:', () => {
  it.each([
    [{}, 400, 'missing_company'],
    [{ ticker: 'EXD', cik: 1 }, 400, 'conflicting_company'],
    [{ ticker: 'ZZZZ' }, 422, 'unknown_ticker'],
    [{ cik: 1 }, 422, 'unknown_company'],
  ])('%j: %i %s', async (body, status, error) => {
    expect(await refusal(dataCompany, body, asking(loadedCompany()))).toMatchObject({
      status,
      error,
      charged: false,
    })
  })

  it.each([
    { cik, filings: 0 },
    { cik, filings: 41 },
    { cik, limit: 3 },
  ])('a malformed question: %j', async body => {
    await expect(ask(dataCompany, body, asking(loadedCompany()))).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
