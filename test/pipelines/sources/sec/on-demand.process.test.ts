import { describe, expect, it, onTestFinished } from 'vitest'
import {
  asOfLookup,
  companyLookup,
  eventTextsLookup,
  olderFilingsLookup,
} from '../../../../pipelines/lookups/company.ts'
import type { Lookup } from '../../../../pipelines/lookups/lookup.ts'
import { startLookups } from '../../../../pipelines/lookups/runner.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { answerCompanyRequests } from '../../../../pipelines/workers/company-requests.ts'
import { startSink } from '../../../../pipelines/workers/sink.ts'
import { rejects } from '../../../../schemas/rejects.ts'
import { companyNow, secCompanies } from '../../../../schemas/sec-companies.ts'
import { companyEvents, secEvents } from '../../../../schemas/sec-events.ts'
import { secFacts } from '../../../../schemas/sec-facts.ts'
import { companyFilings, companyFilingsByForm, secFilings } from '../../../../schemas/sec-filings.ts'
import { financialsAsOf, secFinancials, secFinancialsAsOf } from '../../../../schemas/sec-financials.ts'
import { type CompanyReply, secRequests } from '../../../../schemas/sec-requests.ts'
import { LookedUp } from '../../../../services/query/looked-up.ts'
import { openRequests } from '../../../../services/query/requests.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'
import { type Edgar, kestrel, startEdgar } from './sec-upstream.ts'

const stored = [secCompanies, secFilings, secFacts, secFinancials, secFinancialsAsOf, secEvents, rejects]

interface Tier {
  edgar: Edgar
  log: Log
  store: Store
  lookedUp: LookedUp
  find: <Key, V>(lookup: Lookup<Key, CompanyReply, unknown>, key: Key) => Promise<V>
  sink(): Promise<void>
}

async function open({ storeAway = false } = {}): Promise<Tier> {
  const folder = scratchFolder()
  const edgar = await startEdgar()
  const log = await openLog(`sqlite:${folder}/log.db`, {
    topics: [...stored, secRequests].map(({ topic }) => topic),
  })
  const store = await openStore(`embedded:${folder}/store`)
  await store.apply(stored)
  const failures: unknown[] = []
  const onFailed = (_: string, error: unknown) => void failures.push(error)
  const queue = await answerCompanyRequests({ log, outside: edgar.outside, now: Date.now, onFailed })
  const lookedUp = new LookedUp({
    store: async () => {
      if (storeAway) throw new Error('away')
      return store
    },
    log,
    now: Date.now,
  })
  await lookedUp.follow(stored)
  const asking = await openRequests([secRequests], { log, lookedUp, now: Date.now })
  const finder = await startLookups([companyLookup, olderFilingsLookup, eventTextsLookup, asOfLookup], {
    needsOf: () => ({ ask: asking.ask }),
    outside: edgar.outside,
    now: Date.now,
  })
  const sinks: { close(): Promise<void> }[] = []
  onTestFinished(async () => {
    await finder.close()
    await asking.close()
    await lookedUp.close()
    await queue.close()
    for (const sink of sinks) await sink.close()
    await store.close()
    await log.close()
  })
  return {
    edgar,
    log,
    store,
    lookedUp,
    find: (lookup, cik) => finder.find(lookup, cik) as never,
    async sink() {
      for (const dataset of stored)
        sinks.push(await startSink({ log, store, dataset, now: Date.now, onProblem: () => {} }))
    },
  }
}

describe('a company that is not loaded', () => {
  it('is fetched through the queue, and looked up at once, before any sink has run', async () => {
    const { edgar, lookedUp, find } = await open()
    expect(await lookedUp.first(companyNow, kestrel)).toBeUndefined()
    const both = await Promise.all([find(companyLookup, kestrel), find(companyLookup, kestrel)])
    expect(both).toMatchObject([{ state: 'loaded' }, { state: 'loaded' }])
    expect(edgar.paths().slice(0, 2)).toEqual([
      '/submissions/CIK0009990001.json',
      '/api/xbrl/companyfacts/CIK0009990001.json',
    ])
    expect(edgar.asked.every(({ headers }) => headers['user-agent']?.includes('tests@example.org'))).toBe(
      true,
    )
    expect(await lookedUp.first(companyNow, kestrel)).toEqual({
      cik: kestrel,
      name: 'KESTREL AIRFRAMES INC',
      tickers: ['KSTL', 'KSTL-PA'],
      exchanges: ['NYSE'],
      entity_type: 'operating',
      sic: '3720',
      industry: 'Aircraft & Parts',
      category: 'Accelerated filer, Smaller reporting company',
      state_of_incorporation: 'DE',
      fiscal_year_end: '12-31',
      business_address: '1 RUNWAY ROAD, WICHITA, KS 67201',
      former_names: ['KESTREL GLIDERS INC'],
      filing_count: 6,
      read_at: expect.stringMatching(/^20.*Z$/),
    })
    const filings = await lookedUp.all(companyFilings, kestrel)
    expect(filings.map(({ form }) => form)).toEqual(['8-K', '10-Q', '4', '10-K'])
    expect(await lookedUp.all(companyFilingsByForm, kestrel, '10-K')).toMatchObject([
      { accession: '0009990001-26-000003', items: [], report_date: '2025-12-31' },
    ])
  })

  it('is in the store as it was written, once the sinks have run, its numbers digit for digit', async () => {
    const { store, lookedUp, find, sink, log } = await open()
    await find(companyLookup, kestrel)
    const told = [await lookedUp.first(companyNow, kestrel), await lookedUp.all(companyFilings, kestrel)]
    await sink()
    for (const { topic } of stored) await until(async () => (await log.lag(topic, 'sink')) === 0, topic.name)
    const later = new LookedUp({ store: async () => store, log, now: Date.now })
    await later.follow(stored)
    onTestFinished(() => later.close())
    expect([await later.first(companyNow, kestrel), await later.all(companyFilings, kestrel)]).toEqual(told)
    expect(
      await store.query(
        'select concept, toString(value) as value, days from sec_facts order by concept, period_end',
      ),
    ).toEqual([
      { concept: 'Assets', value: '1500000000', days: 0 },
      { concept: 'EarningsPerShareDiluted', value: '-0.03', days: 364 },
      { concept: 'EntityCommonStockSharesOutstanding', value: '41250000', days: 0 },
      { concept: 'EntityCommonStockSharesOutstanding', value: '41300000', days: 0 },
      { concept: 'FeeAmt', value: '100.1', days: 0 },
      { concept: 'Goodwill', value: '7', days: 0 },
      { concept: 'NetIncomeLoss', value: '-1200000', days: 364 },
      { concept: 'Revenues', value: '812000000', days: 365 },
      { concept: 'Revenues', value: '905500000.5', days: 364 },
      { concept: 'Revenues', value: '240000000', days: 91 },
    ])
    expect(await store.query('select * from farebox_private.rejects')).toEqual([])
  })

  it('gets its older filings on request', async () => {
    const { lookedUp, find } = await open()
    await find(companyLookup, kestrel)
    await find(olderFilingsLookup, kestrel)
    expect((await lookedUp.all(companyFilingsByForm, kestrel, '10-K')).map(({ filed }) => filed)).toEqual([
      '2026-02-20',
      '2013-02-20',
    ])
  })

  it('gets the texts and press releases of several reports on one request', async () => {
    const { edgar, lookedUp, find } = await open()
    await find(companyLookup, kestrel)
    const [report] = await lookedUp.all(companyFilings, kestrel)
    if (!report) throw new Error('no report')
    const { accession, form, filed, items, primary_document } = report
    const filings = ['0009990001-26-000777', accession].map(accession => ({
      cik: kestrel,
      accession,
      form,
      filed,
      accepted: null,
      items,
      primary_document,
    }))
    const documents = { name: 'KESTREL AIRFRAMES INC', industry: 'Aircraft & Parts', filings }
    edgar.says['/Archives/edgar/data/9990001/000999000126000777/kestrel-20261031.htm'] = { status: 503 }
    await expect(find(eventTextsLookup, { cik: kestrel, documents })).rejects.toThrow(UpstreamFailed)
    // The text that came is there, although another one failed.
    expect(await lookedUp.all(companyEvents, kestrel)).toMatchObject([
      {
        accession,
        told_by: 'text',
        items: ['2.02', '9.01'],
        name: 'KESTREL AIRFRAMES INC',
        industry: 'Aircraft & Parts',
        figures: [
          { what: 'revenue', value: '$240.0 million' },
          { what: 'net_loss', value: '$1.2 million' },
        ],
      },
    ])
  })

  it('gets its figures as they were known on a past day', async () => {
    const { lookedUp, find } = await open()
    const known = async (day: string) => {
      await find(asOfLookup, { cik: kestrel, as_of: day })
      return lookedUp.first(financialsAsOf, kestrel, day)
    }
    expect(await known('2025-12-31')).toMatchObject({ cik: kestrel, as_of: '2025-12-31' })
    const later = await known('2026-11-01')
    expect(later?.points.length).toBeGreaterThan(0)
    expect(later?.points.every(({ filed }) => filed <= '2026-11-01')).toBe(true)
  })

  it('is not found if EDGAR has no such filer, and EDGAR is not asked again at once', async () => {
    const { edgar, find } = await open()
    expect(await find(companyLookup, 404)).toBeUndefined()
    expect(await find(companyLookup, 404)).toBeUndefined()
    expect(edgar.asked).toHaveLength(1)
  })

  it('is a failure of the upstream if EDGAR fails, and may be requested again', async () => {
    const { edgar, find } = await open()
    const good = edgar.says['/submissions/CIK0009990001.json']
    edgar.says['/submissions/CIK0009990001.json'] = { status: 503 }
    await expect(find(companyLookup, kestrel)).rejects.toThrow(UpstreamFailed)
    edgar.says['/submissions/CIK0009990001.json'] = good as Buffer
    expect(await find(companyLookup, kestrel)).toMatchObject({ state: 'loaded' })
  })
})
