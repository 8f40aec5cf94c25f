import { describe, expect, it, onTestFinished } from 'vitest'
import type { Log } from '../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../../pipelines/rails/store/store.ts'
import { companyNow, secCompanies } from '../../../schemas/sec-companies.ts'
import { companyEvents, eventsByDay, type SecEvent, secEvents } from '../../../schemas/sec-events.ts'
import {
  companyFilings,
  companyFilingsByForm,
  type SecFiling,
  secFilings,
} from '../../../schemas/sec-filings.ts'
import { financialsNow, secFinancials } from '../../../schemas/sec-financials.ts'
import { LookedUp } from '../../../services/query/looked-up.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'

const filing = (cik: number, n: number, form = '8-K'): SecFiling => ({
  cik,
  accession: `0000000001-26-${String(n).padStart(6, '0')}`,
  form,
  filed: `2026-01-${String(n).padStart(2, '0')}`,
  accepted: null,
  report_date: null,
  items: [],
  primary_document: '',
  primary_doc_description: '',
  size: 0,
  is_xbrl: false,
})

async function open(options: { mostBytes?: number } = {}) {
  const folder = scratchFolder()
  const topics = [secCompanies.topic, secFilings.topic]
  const log: Log = await openLog(`sqlite:${folder}/log.db`, { topics })
  const real = await openStore(`embedded:${folder}/store`)
  await real.apply([secCompanies, secFilings])
  const asked: { view: string; params: unknown }[] = []
  let now = 1_000_000
  let away = false
  const store: Pick<Store, 'read'> = {
    read(view, tail, params) {
      asked.push({ view: view.name, params })
      return real.read(view, tail, params)
    },
  }
  const reach = async () => {
    if (away) throw new Error('away')
    return store as Store
  }
  const lookedUp = new LookedUp({ store: reach, log, now: () => now, ...options })
  await lookedUp.follow([secCompanies, secFilings])
  onTestFinished(async () => {
    await lookedUp.close()
    await log.close()
    await real.close()
  })
  return {
    lookedUp,
    log,
    asked,
    put: (...rows: SecFiling[]) =>
      real.insert(
        secFilings,
        rows.map(event => ({ event, version: 1n })),
      ),
    pass: (ms: number) => {
      now += ms
    },
    leave: (gone: boolean) => {
      away = gone
    },
    async tell(...rows: SecFiling[]) {
      await log.append(
        secFilings.topic,
        rows.map(row => ({ key: secFilings.keyOf(row), value: JSON.stringify(row) })),
      )
      await lookedUp.heard()
    },
  }
}

const numbers = (rows: readonly SecFiling[]) => rows.map(({ accession }) => Number(accession.slice(-6)))

describe('a looked-up view', () => {
  it('asks the store once, in the words of the view, and then remembers', async () => {
    const { lookedUp, asked, put } = await open()
    await put(filing(7, 1), filing(7, 2))
    const both = await Promise.all([lookedUp.all(companyFilings, 7), lookedUp.all(companyFilings, 7)])
    expect(both.map(numbers)).toEqual([
      [2, 1],
      [2, 1],
    ])
    expect(await lookedUp.first(companyFilings, 7)).toMatchObject(filing(7, 2))
    expect(asked).toEqual([{ view: 'company_filings', params: { k0: 7 } }])
    expect(await lookedUp.all(companyFilingsByForm, 7, '10-K')).toEqual([])
    expect(asked[1]).toMatchObject({ params: { k0: 7, k1: '10-K' } })
  })

  it('shows the events of its topic at once, before the store has them', async () => {
    const { lookedUp, put, tell } = await open()
    await put(filing(7, 1))
    expect(numbers(await lookedUp.all(companyFilings, 7))).toEqual([1])
    await tell(filing(7, 3), filing(8, 4), filing(7, 2, '10-K'))
    expect(numbers(await lookedUp.all(companyFilings, 7))).toEqual([3, 2, 1])
    expect(numbers(await lookedUp.all(companyFilingsByForm, 7, '10-K'))).toEqual([2])
    await tell({ ...filing(7, 1), form: '8-K/A' })
    expect((await lookedUp.all(companyFilings, 7)).map(({ form }) => form)).toEqual(['8-K', '10-K', '8-K/A'])
  })

  it('misses no event of a key that it listens to, even before the first look', async () => {
    const { lookedUp, tell } = await open()
    lookedUp.listen(7)
    await tell(filing(7, 1))
    expect(numbers(await lookedUp.all(companyFilings, 7))).toEqual([1])
  })

  it('reads anew after a minute in case it missed a change, and no caller waits for it', async () => {
    const { lookedUp, asked, put, pass } = await open()
    await lookedUp.all(companyFilings, 7)
    await put(filing(7, 1))
    pass(59_000)
    expect(await lookedUp.all(companyFilings, 7)).toEqual([])
    expect(asked).toHaveLength(1)
    pass(1000)
    expect(await lookedUp.all(companyFilings, 7)).toEqual([])
    await until(async () => (await lookedUp.all(companyFilings, 7)).length > 0, 'the new rows')
    expect(asked).toHaveLength(2)
    await put(filing(7, 2))
    pass(600_000)
    expect(numbers(await lookedUp.all(companyFilings, 7))).toEqual([2, 1])
  })

  it('keeps a bounded number of bytes, and drops the least recently used first', async () => {
    const { lookedUp, asked, put } = await open({ mostBytes: 20_000 })
    await put(...[1, 2, 3].flatMap(cik => Array.from({ length: 10 }, (_, n) => filing(cik, n + 1))))
    for (const cik of [1, 2, 1, 3, 1, 2]) await lookedUp.all(companyFilings, cik)
    expect(asked.map(({ params }) => (params as { k0: number }).k0)).toEqual([1, 2, 3, 2])
    // One row that is as heavy as all others together.
    asked.length = 0
    await put({ ...filing(4, 1), primary_doc_description: 'x'.repeat(6_000) })
    for (const cik of [4, 1, 2, 4]) await lookedUp.all(companyFilings, cik)
    expect(asked.map(({ params }) => (params as { k0: number }).k0)).toEqual([4, 1, 2, 4])
  })

  it('sells no rows of a key with an event that it cannot read, until the store must have it', async () => {
    const { lookedUp, log, put, pass } = await open()
    await put(filing(7, 1), filing(8, 1))
    const ask = async (cik: number) =>
      lookedUp.all(companyFilings, cik).then(
        rows => rows.length,
        ({ code }) => code,
      )
    expect([await ask(7), await ask(8)]).toEqual([1, 1])
    await log.append(secFilings.topic, [{ key: '7', value: '{"cik":7,"form":{"of a newer version":1}}' }])
    await lookedUp.heard()
    expect([await ask(7), await ask(8)]).toEqual(['stale_data', 1])
    pass(3_600_000)
    expect(await ask(7)).toBe(1)
  })

  it('sells earlier rows while the store is away, but not for ever', async () => {
    const { lookedUp, put, leave, pass } = await open()
    await put(filing(7, 1))
    await lookedUp.all(companyFilings, 7)
    leave(true)
    pass(599_999)
    expect(numbers(await lookedUp.all(companyFilings, 7))).toEqual([1])
    pass(1)
    await expect(lookedUp.all(companyFilings, 7)).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  })

  it('is not ready while the store is away, and comes back with it', async () => {
    const { lookedUp, leave } = await open()
    leave(true)
    await expect(lookedUp.first(companyNow, 7)).rejects.toMatchObject({ code: 'not_ready', status: 503 })
    leave(false)
    expect(await lookedUp.first(companyNow, 7)).toBeUndefined()
  })
})

it('keeps the newer of two rows of a key by the view’s own columns, whatever came last', async () => {
  const folder = scratchFolder()
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [secFinancials.topic] })
  const store = await openStore(`embedded:${folder}/store`)
  await store.apply([secFinancials])
  const lookedUp = await LookedUp.open({ store: async () => store, log, now: () => 0 }, [secFinancials])
  onTestFinished(async () => {
    await lookedUp.close()
    await log.close()
    await store.close()
  })
  const financials = { cik: 7, currency: 'USD', points: [], quarters: [], notes: [], filed: '2026-05-01' }
  await store.insert(secFinancials, [{ event: financials, version: 1n }])
  const told = async (filed: string, note: string) => {
    const event = { ...financials, filed, notes: [note] }
    lookedUp.listen(7)
    await log.append(secFinancials.topic, [{ key: '7', value: JSON.stringify(event) }])
    await lookedUp.heard()
    return (await lookedUp.first(financialsNow, 7))?.notes
  }
  expect(await told('2026-02-01', 'older')).toEqual([])
  expect(await told('2026-05-01', 'again')).toEqual(['again'])
  expect(await told('2026-08-01', 'newer')).toEqual(['newer'])
  expect(await told('2026-02-01', 'older')).toEqual(['newer'])
})

it('a view with other columns than the key of its topic is looked up by its own columns, and kept current', async () => {
  const folder = scratchFolder()
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [secEvents.topic] })
  const store = await openStore(`embedded:${folder}/store`)
  await store.apply([secEvents])
  const lookedUp = await LookedUp.open({ store: async () => store, log, now: () => 0 }, [secEvents])
  onTestFinished(async () => {
    await lookedUp.close()
    await log.close()
    await store.close()
  })
  const event = (cik: number, filed: string, accepted: string | null): SecEvent => ({
    cik,
    accession: `000000000${cik}-26-000001`,
    form: '8-K',
    filed,
    accepted,
    items: ['8.01'],
    summary: null,
    told_by: 'items',
    name: 'Company',
    industry: null,
    figures: [],
  })
  await store.insert(secEvents, [
    { event: event(1, '2026-05-01', '2026-05-01T10:00:00.000Z'), version: 1n },
    { event: event(2, '2026-05-02', null), version: 1n },
  ])
  const told = async (...events: SecEvent[]) => {
    const records = events.map(row => ({ key: secEvents.keyOf(row), value: JSON.stringify(row) }))
    await log.append(secEvents.topic, records)
    await lookedUp.heard()
  }
  const ciks = async (day: string) => (await lookedUp.all(eventsByDay, day)).map(({ cik }) => cik)
  expect(await ciks('2026-05-01')).toEqual([1])
  await told(event(3, '2026-05-01', '2026-05-01T11:00:00.000Z'), event(4, '2026-05-02', null))
  expect(await ciks('2026-05-01')).toEqual([3, 1])
  expect(await lookedUp.all(companyEvents, 1)).toHaveLength(1)
})
