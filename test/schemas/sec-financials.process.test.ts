import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../schemas/dataset/dataset.ts'
import { companyNow, secCompanies } from '../../schemas/sec-companies.ts'
import { companyEvents, type SecEvent, secEvents } from '../../schemas/sec-events.ts'
import { financialsNow, secFinancials } from '../../schemas/sec-financials.ts'
import { cik, company, ofFacts } from '../services/origins/data/company/a-company.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-sec-'))
let store: Store
beforeAll(async () => {
  store = await openStore(`embedded:${folder}/store`)
  await store.apply([secCompanies, secFinancials, secEvents] as unknown as Dataset[])
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('in the store, the metrics of a company', () => {
  const financials = ofFacts()

  it('come back unchanged, to the digit', async () => {
    const awkward = { ...financials, points: financials.points.map(point => ({ ...point, value: '-4.00' })) }
    for (const [version, event] of [awkward, financials].entries()) {
      await store.insert(secFinancials as unknown as Dataset, [{ event, version: BigInt(version + 1) }])
      expect(await store.read(financialsNow, 'where cik = {cik: UInt32}', { cik })).toEqual([event])
    }
  })

  it('are those of the newest reports, whichever came last', async () => {
    const older = { ...financials, filed: '2024-02-20', points: [] }
    await store.insert(secFinancials as unknown as Dataset, [{ event: older, version: 9n }])
    expect(await store.read(financialsNow, 'where cik = {cik: UInt32}', { cik })).toEqual([financials])
  })

  it('are a row per metric and period for analysts, with numbers as values', async () => {
    const rows = await store.query(
      `select fiscal_year_end, toString(value) as value, currency from metric_points
       where cik = {cik: UInt32} and metric = 'eps_diluted' and span = 'year' order by period_end desc`,
      { cik },
    )
    expect(rows).toEqual([
      { fiscal_year_end: '2024-12-31', value: '1.5', currency: 'USD' },
      { fiscal_year_end: '2023-12-31', value: '1.2', currency: 'USD' },
      { fiscal_year_end: '2022-12-31', value: '0.97', currency: 'USD' },
      { fiscal_year_end: '2021-12-31', value: '3.6', currency: 'USD' },
    ])
  })
})

it('in the store, a company is as EDGAR last described it, and not as an earlier archive did', async () => {
  const now = { ...company({ name: 'Renamed Inc.', filing_count: 9 }), read_at: '2026-11-20T15:00:00.000Z' }
  const ofTheNight = { ...now, name: 'Former Inc.', filing_count: 8, read_at: '2026-11-20T00:00:00.000Z' }
  const dataset = secCompanies as unknown as Dataset
  await store.insert(dataset, [{ event: now, version: 1n }])
  await store.insert(dataset, [{ event: ofTheNight, version: 2n }])
  expect(await store.read(companyNow, 'where cik = {cik: UInt32}', { cik })).toEqual([now])
})

it('in the store, each quarter of a company is a row for analysts', async () => {
  const quarter = {
    metric: 'revenue' as const,
    span: 'quarter' as const,
    concept: 'us-gaap:Revenues',
    unit: 'USD',
    period_start: '2025-10-01',
    period_end: '2025-12-31',
    value: '12.5',
    form: '10-K',
    filed: '2026-02-20',
    accession: '0009000003-26-000001',
    derived_from: ['plus' as const, 'minus' as const].map(sign => ({
      sign,
      value: '50',
      period_start: '2025-01-01',
      period_end: '2025-12-31',
      accession: '0009000003-26-000001',
    })),
  }
  const event = {
    ...ofFacts(),
    cik: 7,
    quarters: [quarter, { ...quarter, span: 'ttm' as const, derived_from: [] }],
  }
  await store.insert(secFinancials as unknown as Dataset, [{ event, version: 1n }])
  expect(await store.read(financialsNow, 'where cik = 7')).toEqual([event])
  expect(
    await store.query(
      'select span, toString(value) as value, derived from metric_quarters where cik = 7 order by span',
    ),
  ).toEqual([
    { span: 'quarter', value: '12.5', derived: 1 },
    { span: 'ttm', value: '12.5', derived: 0 },
  ])
})

it('in the store, an event is one row, from its text whatever came last', async () => {
  const event: SecEvent = {
    cik,
    accession: '0009000003-25-000031',
    form: '8-K',
    filed: '2025-06-05',
    items: ['1.01', '9.01'],
    summary: null,
    told_by: 'items',
    accepted: null,
    name: 'Example Devices Inc.',
    industry: null,
    figures: [],
  }
  const figures = [{ what: 'revenue' as const, value: '$1 million', sentence: 'Revenue was $1 million.' }]
  const better: SecEvent = { ...event, summary: 'What it says.', told_by: 'text', figures }
  await store.insert(secEvents as unknown as Dataset, [{ event: better, version: 1n }])
  await store.insert(secEvents as unknown as Dataset, [{ event, version: 2n }])
  expect(await store.read(companyEvents, 'where cik = {cik: UInt32}', { cik })).toEqual([better])
})
