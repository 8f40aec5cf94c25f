/** A view of the store is sold: its parameters are values, and its user reads facts only. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../../pipelines/rails/store/open-store.ts'
import { type Store, StoreError } from '../../../pipelines/rails/store/store.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { operations } from '../../../schemas/dimensions.ts'
import { fxRates } from '../../../schemas/fx-rates.ts'
import { datasets } from '../../../schemas/index.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { scratchFolder } from '../../scratch.ts'
import { failureOf, opened } from './asking.ts'
import { viewOf } from './reading.ts'

let store: Store
const ends: (() => void)[] = []
beforeAll(async () => {
  store = await openStore(
    `embedded:${join(
      scratchFolder(end => ends.push(end)),
      'store',
    )}`,
  )
  await store.apply(datasets)
  await store.insert(fxRates as unknown as Dataset, [
    { event: { day: '2026-01-02', rates: { USD: '1.10', JPY: '160.123456' } }, version: 1n },
    { event: { day: '2026-01-05', rates: { USD: '1.12' } }, version: 2n },
  ])
})
afterAll(async () => {
  await store?.close()
  for (const end of ends) end()
})

const open = (file: Parameters<typeof viewOf>[0], around: Parameters<typeof opened>[2] = {}) =>
  opened(viewOf(file), {}, { store: async () => store, ...around })

const rates = {
  view: 'select day, rate from fx_daily where currency = {currency:String} and day >= {since:Date} order by day limit 400',
  question: "{ currency: { type: string }, since: { type: string, default: '2026-01-01' } }",
  example: '{ question: { currency: USD } }',
}

describe('a view', () => {
  it('is sold by rows, with their digits', async () => {
    const { ask, asked } = await open(rates)
    expect(await asked({ currency: 'JPY' })).toMatch('[{"day":"2026-01-02","rate":160.123456}]')
    expect((await ask({ currency: 'USD' })).answer).toEqual([
      { day: '2026-01-02', rate: 1.1 },
      { day: '2026-01-05', rate: 1.12 },
    ])
    const { ask: one } = await open({ ...rates, from: 'rows: one' })
    expect((await one({ currency: 'USD', since: '2026-01-03' })).answer).toEqual({
      day: '2026-01-05',
      rate: 1.12,
    })
  })

  it('is free without a row, by the code of the file', async () => {
    const { ask } = await open(rates)
    expect(await failureOf(ask({ currency: 'XXX' }))).toBe('nothing_found: Nothing found')
    const { ask: named } = await open({ ...rates, more: 'refuse: { none: unknown_currency }' })
    expect(await failureOf(named({ currency: 'XXX' }))).toBe('unknown_currency: Unknown currency')
  })

  it('is free while a feed of its table is older than promised', async () => {
    const now = Date.now()
    const fresh = { ...rates, from: 'fresh: { table: fx_daily, within: 2d }' }
    const { ask } = await open(fresh, { polledAt: now - 86_400_000 })
    expect((await ask({ currency: 'USD' })).answer).toHaveLength(2)
    const { ask: late } = await open(fresh, { polledAt: now - 3 * 86_400_000 })
    expect(await failureOf(late({ currency: 'USD' }))).toMatch(/^stale_data/)
  })

  it('is free where its rows do not fit what the file says of them', async () => {
    const { ask } = await open({
      ...rates,
      more: 'answer: { type: object, required: [height], properties: { height: { type: number } } }',
    })
    expect(await failureOf(ask({ currency: 'USD' }))).toMatch('do not fit')
  })

  it('ends at its bounds', async () => {
    const long = 'select day, {station:String} as said, sleepEachRow(3) from fx_rates'
    const { ask } = await open({ view: long, from: 'within: 1s' })
    expect(await failureOf(ask({ station: 'a' }))).toMatch(/^UpstreamFailed/)
    const many = 'select {station:String} as said, arrayJoin(range(20000)) as n from fx_rates'
    expect(await failureOf((await open({ view: many })).ask({ station: 'a' }))).toMatch('TOO_MANY_ROWS')
  })
})

describe('a payer', () => {
  it.each([
    "' or 1 = 1 --",
    "USD' union all select now(), 1 --",
    '{since:Date}',
    '\\',
    "\\'",
    '\n',
    '\t\\N',
    '`',
    '/* */',
    ';',
  ])('gives a value, and nothing else: %j', async currency => {
    expect(await failureOf((await open(rates)).ask({ currency }))).toMatch(/^nothing_found/)
  })

  it.each<[string, string, unknown]>([
    ['a list', 'String', ["USD' or 1=1", "'] or ['"]],
    ['a number beyond all', 'Float64', 1e300],
    ['a number for a text', 'UInt8', 256],
    ['a number below', 'UInt64', -1],
    ['a text of nulls', 'Nullable(String)', '\\N'],
    ['line ends', 'String', 'USD\r\n; drop table fx_rates'],
    ['a prototype', 'String', '__proto__'],
    ['a setting', 'String', "' settings max_result_rows = 1e9 --"],
  ])('gives %s, and takes nothing with it', async (_, type, value) => {
    const isList = Array.isArray(value)
    const field = isList ? '{ type: array, items: { type: string } }' : `{ type: ${typeof value} }`
    const { ask } = await open({
      view: `select count() as n from fx_daily where ${isList ? `has({station:Array(${type})}, currency)` : `toString(currency) = toString({station:${type}})`}`,
      question: `{ station: ${field} }`,
      example: `{ question: { station: ${isList ? '[a]' : typeof value === 'number' ? 1 : 'a'} } }`,
    })
    const told = await ask({ station: value }).then(
      ({ answer }) => answer,
      error => error.code,
    )
    expect([[{ n: 0 }], 'invalid_request']).toContainEqual(told)
    expect((await (await open(rates)).ask({ currency: 'USD' })).answer).toHaveLength(2)
  })

  it('hears that a value is none of its type, and shuts the view for nobody', async () => {
    const { ask } = await open(rates)
    for (let i = 0; i < 8; i++)
      await expect(ask({ currency: 'USD', since: `yesterday ${i}` })).rejects.toMatchObject({
        code: 'invalid_request',
        // The engine was asked for it, so it counts as a refusal does.
        asks: 1,
      })
    expect((await ask({ currency: 'USD' })).answer).toHaveLength(2)
  })
})

describe('a file', () => {
  const refused = (view: string) => failureOf(open({ view }))

  it.each([
    ['select {station:String}, number from numbers(3)', 'numbers makes'],
    ["select {station:String} from merge('farebox', 'settlements')", 'merge makes'],
    [
      "select (select count() from url('http://127.0.0.1/', 'CSV', 'a String')) as a, {station:String}",
      'url makes',
    ],
    [
      "select {station:String} from fx_rates where day in (select day from remote('127.0.0.1', farebox.fx_rates))",
      'remote makes',
    ],
    ['insert into fx_rates select * from fx_rates where day = {station:String}', 'should be one select'],
    ['drop table fx_rates -- {station:String}', 'should be one select'],
    ['select {station:String}; select 1', 'cannot be read'],
    ['select {station:String} frm fx_rates', 'cannot be read'],
  ])('is refused at the start: %s', async (view, message) => {
    const told = await refused(view)
    expect(told).toMatch(/^ConfigError: tides\.yaml:8:19 tidesTide: from\.view/)
    expect(told).toContain(message)
  })

  const { name, views } = settlements
  const ordered = views.flatMap(view => [view.ordered?.table ?? [], view.summed?.table ?? []].flat())
  // What operations are called stands on our pages. That view reads no table.
  const reading = views.filter(view => view !== operations)
  const tills = [name, ...reading.map(view => view.name), ...ordered]
  it.each([
    ...tills.flatMap(table => [
      `select *, {station:String} from ${table}`,
      `select *, {station:String} from farebox.${table}`,
      `select (select count() from ${table}) as n, {station:String}`,
      `select 1 where {station:String} in ${table}`,
      `with t as (select * from ${table}) select *, {station:String} from t`,
    ]),
    `select *, {station:String} from ${name}_replay`,
    'select *, {station:String} from farebox_private.rejects',
    'select *, {station:String} from system.users',
    'select *, {station:String} from system.query_log',
  ])('reads nothing of the till, nothing private: %s', async view => {
    const { ask } = await open({ view })
    expect(await failureOf(ask({ station: 'a' }))).toMatch(/ACCESS_DENIED|UNKNOWN_TABLE/)
  })
})

it('is sold while the store is away, as soon as it is back', async () => {
  let away = true
  const { ask } = await open(rates, {
    store: async () => {
      if (away) throw new StoreError('away')
      return store
    },
  })
  expect(await failureOf(ask({ currency: 'USD' }))).toMatch(/^UpstreamFailed: tidesTide: the store is away/)
  away = false
  expect((await ask({ currency: 'USD' })).answer).toHaveLength(2)
})
