/** The contract of every store, whoever started its ClickHouse. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { apply } from '../../pipelines/rails/store/apply.ts'
import { type Store, StoreAway, type Versioned } from '../../pipelines/rails/store/store.ts'
import {
  type Dataset,
  defineDataset,
  type Fields,
  field,
  latest,
  type RowOf,
  rebuilt,
} from '../../schemas/dataset/dataset.ts'
import { Decimal, Instant, IsoDate } from '../../schemas/values/values.ts'
import { until } from '../until.ts'

const delay = z.strictObject({ type: z.string(), reason: z.string().nullable(), since: Instant.nullable() })
const fields = {
  station: field(z.string(), 'LowCardinality(String)', "The station; it's quoted \\ escaped"),
  day: field(IsoDate, 'Date', 'The day'),
  at: field(Instant, "DateTime64(3, 'UTC')", 'When it was seen'),
  gone_at: field(Instant.nullable(), "Nullable(DateTime64(3, 'UTC'))", 'When it ended'),
  price: field(Decimal, 'Decimal(18, 6)', 'A price'),
  rates: field(z.record(z.string(), Decimal), 'Map(LowCardinality(String), Decimal(18, 8))', 'Rates'),
  delays: field(
    z.array(delay),
    "Array(Tuple(type String, reason Nullable(String), since Nullable(DateTime64(3, 'UTC'))))",
    'Delays',
  ),
  seats: field(z.int(), 'UInt32', 'Seats'),
  shut: field(z.boolean(), 'Bool', 'Shut'),
}
const stationNow = latest<RowOf<typeof fields>>({
  name: 'station_now',
  about: 'The newest day of each',
  key: ['station'],
})
const stationDays = latest<RowOf<typeof fields>>({
  name: 'station_days',
  about: 'Every day',
  key: ['station', 'day'],
})
const seatsTotal = rebuilt<{ station: string; seats: string }>({
  name: 'seats_total',
  about: 'All seats ever',
  key: ['station'],
  sql: 'select station, sum(seats) as seats from stations group by station',
  columns: { station: 'The station', seats: "All of a station's seats" },
})
const stations = defineDataset({
  name: 'stations',
  about: 'Stations, of no place in the world',
  fields,
  key: ['station'],
  identity: ['station', 'day'],
  views: [stationNow, stationDays, seatsTotal],
}) as unknown as Dataset

const secrets = defineDataset({
  name: 'secrets',
  about: 'Not for analysts',
  fields: { id: field(z.string(), 'String', 'Id') },
  key: ['id'],
  identity: ['id'],
  audience: 'service',
}) as unknown as Dataset
const passing = defineDataset({
  name: 'passing',
  about: 'In the log alone',
  fields: { id: field(z.string(), 'String', 'Id') },
  key: ['id'],
  identity: ['id'],
  audience: 'log',
}) as unknown as Dataset

const station = {
  station: 'north',
  day: '2026-11-20',
  at: '2026-11-20T07:08:09.123Z',
  gone_at: null as string | null,
  price: '1234567.654321',
  rates: { USD: '1.15850001', JPY: '182.5' } as Record<string, string>,
  delays: [
    { type: 'fog', reason: null, since: '2026-11-20T07:00:00.000Z' },
    { type: 'snow', reason: 'a "lot" \\ of it', since: null },
  ] as z.output<typeof delay>[],
  seats: 7,
  shut: false,
}
/** ClickHouse refuses some of these values, and would silently change the others. */
const misfits: [changes: Record<string, unknown>, why: RegExp][] = [
  [{ at: 'yesterday' }, /^Cannot read DateTime: .* key at/],
  [{ price: '9'.repeat(30) }, /^Too many digits .* key price/],
  [{ shut: 'maybe' }, /^Invalid boolean value/],
  [{ unheard_of: 1 }, /^unheard_of: unknown$/],
  [{ unheard_of: 1, gone_at: undefined }, /^unheard_of: unknown$/],
  [{ toString: 1 }, /^toString: unknown$/],
  [{ day: '2150-01-01' }, /^day: 2150-01-01 is outside of Date$/],
  [{ price: '0.0000001' }, /^price: 0.0000001 is not a decimal with 6 digits/],
  [{ price: '' }, /^price: +is not a decimal/],
  [{ rates: { USD: '1.123456789' } }, /^rates: USD: 1.123456789 is not a decimal with 8 digits/],
  [{ seats: 2 ** 32 }, /^seats: 4294967296 is outside of UInt32$/],
  [{ seats: -1 }, /^seats: -1 is outside of UInt32$/],
  [{ seats: null }, /^seats: is missing/],
  [{ delays: [{ type: null, reason: null, since: null }] }, /^delays: type: is missing/],
]
const row = (changes: Partial<typeof station>, version = 1n, deleted = false): Versioned => ({
  event: { ...station, ...changes },
  version,
  deleted,
})

export function storeContract(
  form: string,
  open: () => Promise<{ store: Store; database: string; cluster?: string; close(): Promise<void> }>,
) {
  describe(`the store, ${form}`, () => {
    let store: Store
    let database: string
    let cluster: string | undefined
    /** Where the rows are. */
    let rows: string
    let close: () => Promise<void>
    beforeAll(async () => {
      ;({ store, database, cluster, close } = await open())
      rows = cluster ? `${database}_local` : database
      await store.apply([stations, secrets, passing])
    })
    afterAll(() => close())

    const of = (name: string) =>
      store.read(stationDays, 'where station = {name: String} order by day', { name })
    const count = async (table: string, where: string) =>
      Number((await store.query<{ n: string }>(`select count() as n from ${table} where ${where}`))[0]?.n)

    it('answers', async () => {
      expect(await store.ping()).toBe(true)
    })

    it('says how its servers are', async () => {
      await store.insert(stations, [row({ station: 'condition' })])
      const { servers, disks, tables } = await store.condition()
      for (const { free, total } of disks) expect(total).toBeGreaterThan(free)
      expect(disks.length).toBeGreaterThan(0)
      const ours = tables.find(({ table }) => table === stations.name)
      expect(ours).toMatchObject({ parts: 1, bytes: expect.toSatisfy(bytes => bytes > 0) })
      expect(servers.length).toBeGreaterThan(0)
      for (const server of servers) {
        expect(server).toMatchObject({ mutations: 0, failedMutations: 0, readonlyTables: 0 })
        expect(server.memory).toBeGreaterThan(0)
        expect(server.memoryLimit).toBeGreaterThan(server.memory)
      }
    })

    it('can be applied again: it changes no table, and updates the comments', async () => {
      await store.apply([stations, secrets, passing])
      await store.apply([{ ...stations, about: 'Other words' }])
      const [table] = await store.query<{ comment: string }>(
        `select comment from system.tables where database = '${database}' and name = 'stations'`,
      )
      expect(table?.comment).toBe('Other words')
      const columns = await store.query<{ name: string; comment: string }>(
        `select name, comment from system.columns where database = '${database}' and table = 'stations'`,
      )
      expect(columns).toContainEqual({ name: 'station', comment: fields.station.about })
      expect(columns.every(({ comment }) => comment !== '')).toBe(true)
    })

    it('describes every column of a view, and updates the descriptions', async () => {
      const abouts = async (view: string) =>
        Object.fromEntries(
          (
            await store.query<{ name: string; comment: string }>(
              `select name, comment from system.columns where database = '${database}' and table = '${view}'`,
            )
          ).map(({ name, comment }) => [name, comment]),
        )
      await store.rebuild(seatsTotal)
      expect(await abouts('seats_total')).toEqual(seatsTotal.columns)
      expect(await abouts('station_now')).toMatchObject({ station: fields.station.about, seats: 'Seats' })
      const told = { ...seatsTotal, columns: { ...seatsTotal.columns, seats: 'Other words' } }
      await store.apply([{ ...stations, views: [stationNow, stationDays, told] }, secrets])
      expect(await abouts('seats_total')).toEqual(told.columns)
      await store.apply([stations, secrets])
    })

    it("keeps service tables out of the analysts' database, and topics without a table out of both databases", async () => {
      const tables = await store.query<{ database: string; name: string }>(
        `select database, name from system.tables where name in ('stations', 'secrets', 'passing') order by name, database`,
      )
      const of = (places: string[], name: string) =>
        [...new Set(places)].map(place => ({ database: place, name }))
      expect(tables).toEqual([
        ...of([`${database}_private`, rows.replace(database, `${database}_private`)], 'secrets'),
        ...of([database, rows], 'stations'),
      ])
    })

    it('returns its rows unchanged: dates, times, decimals, maps, tuples, nulls', async () => {
      await store.insert(stations, [
        row({ station: 'shapes', gone_at: '2026-11-20T09:00:00.000Z' }),
        row({ station: 'shapes', day: '2026-11-21', rates: {}, delays: [] }),
      ])
      expect(await of('shapes')).toEqual([
        { ...station, station: 'shapes', gone_at: '2026-11-20T09:00:00.000Z', price: '1234567.654321' },
        { ...station, station: 'shapes', day: '2026-11-21', rates: {}, delays: [] },
      ])
    })

    it('stores packed rows like others, and refuses a row that does not fit', async () => {
      const dataset = { ...stations, packed: true }
      const changes = { station: 'packed', gone_at: '2026-11-20T09:00:00.000Z' }
      await store.insert(dataset, [
        row(changes, 2n),
        row({ station: 'packed', seats: 1 }, 1n),
        row({ station: 'packed', day: '2026-11-21', rates: {}, delays: [] }),
        row({ station: 'packed', day: '2026-11-22' }, 1n, true),
      ])
      expect(await of('packed')).toEqual([
        { ...station, ...changes },
        { ...station, station: 'packed', day: '2026-11-21', rates: {}, delays: [] },
      ])
      for (const [wrong] of misfits)
        await expect(
          store.insert(dataset, [
            row({ station: 'packed fits' }),
            { event: { ...station, ...wrong }, version: 1n },
          ]),
          JSON.stringify(wrong),
        ).rejects.toMatchObject({ name: 'RowsRefused' })
      expect(await of('packed fits')).toEqual([])
    })

    it('counts a fact once, however often it arrives', async () => {
      const twice = [row({ station: 'twice' }, 5n)]
      await store.insert(stations, twice)
      await store.insert(stations, [...twice, ...twice])
      expect(await of('twice')).toHaveLength(1)
      expect(await count('stations', "station = 'twice'")).toBe(1)
    })

    it('keeps the row with the later place in the log, in whatever order rows arrive', async () => {
      await store.insert(stations, [row({ station: 'late', seats: 2 }, 2n)])
      await store.insert(stations, [row({ station: 'late', seats: 1 }, 1n)])
      expect(await of('late')).toMatchObject([{ seats: 2 }])
    })

    it('withdraws a fact', async () => {
      await store.insert(stations, [row({ station: 'gone' }, 1n)])
      await store.insert(stations, [row({ station: 'gone' }, 2n, true)])
      expect(await of('gone')).toEqual([])
      expect(await count('stations', "station = 'gone'")).toBe(0)
    })

    it('shows the newest row of each key in a view', async () => {
      await store.insert(stations, [
        row({ station: 'moving', day: '2026-11-22', seats: 1 }, 1n),
        row({ station: 'moving', day: '2026-11-20', seats: 3 }, 3n),
        row({ station: 'moving', day: '2026-11-21', seats: 2 }, 2n),
      ])
      expect(await store.read(stationNow, "where station = 'moving'")).toMatchObject([
        { day: '2026-11-20', seats: 3 },
      ])
    })

    it('rebuilds a view as a whole: a reader sees the old one or the new one', async () => {
      await store.insert(
        stations,
        Array.from({ length: 50 }, (_, n) => row({ station: `hall ${n}`, seats: 1 })),
      )
      await store.rebuild(seatsTotal)
      let rebuilding = true
      const seen = new Set<number>()
      const reader = (async () => {
        while (rebuilding) seen.add((await store.read(seatsTotal, "where station like 'hall %'")).length)
      })()
      for (let round = 0; round < 5; round++) await store.rebuild(seatsTotal)
      rebuilding = false
      await reader
      expect([...seen]).toEqual([50])
      expect(await store.read(seatsTotal, "where station = 'hall 7'")).toEqual([
        { station: 'hall 7', seats: '1' },
      ])
    })

    it('says of a large insert what its first row was refused for', async () => {
      const rows = Array.from({ length: 8000 }, (_, n) =>
        row({ station: `first ${n} ${'x'.repeat(800)}`, ...(n === 0 && { at: 'yesterday' }) }),
      )
      await expect(store.insert(stations, rows)).rejects.toMatchObject({ name: 'RowsRefused' })
      await store.insert(stations, rows.slice(1))
      expect(await count('stations', "station like 'first %'")).toBe(7999)
    })

    it('distinguishes rows that can never fit from its own failures', async () => {
      for (const [wrong, why] of misfits)
        await expect(
          store.insert(stations, [
            row({ station: 'fits' }),
            { event: { ...station, ...wrong }, version: 1n },
          ]),
          JSON.stringify(wrong),
        ).rejects.toThrow(
          expect.objectContaining({ name: 'RowsRefused', message: expect.stringMatching(why) }),
        )
      expect(await of('fits')).toEqual([])
      const nowhere = { ...stations, name: 'nowhere' }
      const trouble = await store.insert(nowhere, [row({})]).catch(error => error)
      expect(trouble).toBeInstanceOf(StoreAway)
    })

    describe('over an existing table', () => {
      const base = { id: field(z.string(), 'String', 'Id'), size: field(z.int(), 'UInt32', 'Size') }
      const standing = (name: string, changed: Fields = base, identity = ['id']) =>
        defineDataset({
          name,
          about: 'Standing',
          fields: changed,
          key: ['id'],
          identity,
        }) as unknown as Dataset

      it('refuses another type, and names the table, the column and both types', async () => {
        await store.apply([standing('typed')])
        const other = { ...base, size: field(z.string(), 'String', 'Size') }
        await expect(store.apply([standing('typed', other)])).rejects.toThrow(
          `${rows}.typed.size does not fit: its type is UInt32; it should be String (npm run replay -- typed builds the table anew)`,
        )
      })

      it('refuses another identity', async () => {
        await store.apply([standing('keyed')])
        await expect(store.apply([standing('keyed', base, ['id', 'size'])])).rejects.toThrow(
          `${rows}.keyed does not fit: its order is (id); it should be (id, size)`,
        )
      })

      it('refuses a table of another engine', async () => {
        await expect(store.apply([{ ...standing('seats_total'), views: [] }])).rejects.toThrow(
          cluster
            ? `${database}.seats_total is of one server, and STORE_CLUSTER is set`
            : `${database}.seats_total does not fit: its engine is MergeTree`,
        )
      })

      it('refuses another partition', async () => {
        await store.apply([standing('parted')])
        const parted = { ...standing('parted'), table: { partitionBy: 'size' } }
        await expect(store.apply([parted])).rejects.toThrow(
          `${rows}.parted does not fit: its partition is (); it should be (size)`,
        )
      })

      it('changes codecs, expiry and the merge of old files in both directions, and no row', async () => {
        const at = field(Instant, "DateTime64(3, 'UTC')", 'When')
        const plain = standing('aged', { ...base, at })
        const squeezed = {
          ...standing('aged', { ...base, at: { ...at, codec: 'Delta(8), ZSTD(1)' } }),
          table: { expires: { after: 'at', days: 3650 }, whole: true },
        }
        const made = async () =>
          (
            await store.query<{ sql: string }>(
              `select create_table_query as sql from system.tables where name = 'aged' and database = '${rows}'`,
            )
          )[0]?.sql ?? ''
        await store.apply([plain])
        await store.insert(plain, [
          { event: { id: 'a', size: 1, at: '2026-11-20T00:00:00.000Z' }, version: 1n },
        ])
        const before = await made()
        await store.apply([squeezed])
        expect(await made()).toMatch(/`at` DateTime64.*CODEC\(Delta\(8\), ZSTD\(1\)\)/)
        expect(await made()).toContain('TTL toDateTime(at) + toIntervalDay(3650)')
        expect(await made()).toContain('min_age_to_force_merge_seconds = 86400')
        const run: string[] = []
        await apply(
          [squeezed],
          { analysts: database, service: database, cluster },
          {
            run: async sql => void run.push(sql),
            query: (sql, params) => store.query(sql, params),
          },
        )
        // On a cluster a new server may lack the table.
        expect(run.filter(sql => !sql.trim().startsWith('create table if not exists'))).toEqual([])
        await store.apply([plain])
        expect(await made()).toBe(before)
        expect(await count('aged', 'true')).toBe(1)
      })

      it('makes an index for the rows that stand, even if the start that added it was killed', async () => {
        const sought = { ...standing('sought'), table: { found: ['id'] } }
        await store.apply([standing('sought')])
        // So many that each shard has some.
        const ids = Array.from({ length: 20 }, (_, n) => `id ${n}`)
        await store.insert(
          standing('sought'),
          ids.map(id => ({ event: { id, size: 1 }, version: 1n })),
        )
        const killed = apply(
          [sought],
          { analysts: database, service: database, cluster },
          {
            run: async sql => {
              if (sql.includes('materialize index')) throw new Error('killed')
              await store.query(sql)
            },
            query: (sql, params) => store.query(sql, params),
          },
        )
        await expect(killed).rejects.toThrow('killed')
        const bytes = async () =>
          (
            await store.query<{ bytes: string }>(
              `select data_compressed_bytes as bytes from system.data_skipping_indices where database = '${rows}' and table = 'sought'`,
            )
          ).map(made => Number(made.bytes))
        expect(await bytes()).toEqual([0])
        await store.apply([sought])
        await until(async () => (await bytes()).every(made => made > 0), 'the index of the rows that stood')
        const comment = `select comment from system.tables where database = '${rows}' and name = 'sought'`
        expect(await store.query(comment)).toEqual([{ comment: 'Standing' }])
      })

      it('adds a nullable column, and no other without a default', async () => {
        await store.apply([standing('grown')])
        await store.insert(standing('grown'), [{ event: { id: 'a', size: 1 }, version: 1n }])
        const nullable = { ...base, note: field(z.string().nullable(), 'Nullable(String)', 'A note') }
        await store.apply([standing('grown', nullable)])
        expect(await store.query(`select id, note from grown`)).toEqual([{ id: 'a', note: null }])
        const plain = { ...base, weight: field(z.int(), 'UInt32', 'A weight') }
        await expect(store.apply([standing('grown', plain)])).rejects.toThrow(
          `${rows}.grown.weight is missing, and older rows cannot hold a UInt32: give the column a default, or make it nullable`,
        )
      })

      it('adds a column with a default, and older rows and events have that default', async () => {
        const kinds = { ...base, kind: field(z.string().default("it's old"), 'String', 'A kind') }
        const grown = standing('defaulted', kinds)
        await store.apply([standing('defaulted')])
        await store.insert(standing('defaulted'), [{ event: { id: 'a', size: 1 }, version: 1n }])
        await store.apply([grown])
        await store.insert(grown, [
          { event: { id: 'b', size: 1, kind: 'new' }, version: 2n },
          { event: grown.event.parse({ id: 'c', size: 1 }), version: 3n },
        ])
        expect(await store.query(`select id, kind from defaulted order by id`)).toEqual([
          { id: 'a', kind: "it's old" },
          { id: 'b', kind: 'new' },
          { id: 'c', kind: "it's old" },
        ])
        await store.apply([grown])
      })

      it('adds a column of lists, which is empty in older rows and events', async () => {
        const lists = { ...base, notes: field(z.array(z.string()).default([]), 'Array(String)', 'Notes') }
        await store.apply([standing('listed')])
        await store.insert(standing('listed'), [{ event: { id: 'a', size: 1 }, version: 1n }])
        const grown = standing('listed', lists)
        await store.apply([grown])
        await store.insert(grown, [{ event: { id: 'b', size: 1, notes: ['new'] }, version: 2n }])
        expect(await store.query(`select id, notes from listed order by id`)).toEqual([
          { id: 'a', notes: [] },
          { id: 'b', notes: ['new'] },
        ])
        await store.apply([grown])
      })

      it('refuses a column that cannot hold every value of the event', async () => {
        const torn = { ...base, note: field(z.string().nullable(), 'String', 'A note') }
        await expect(store.apply([standing('torn', torn)])).rejects.toThrow(
          'torn.note: the event may be null, the column is String',
        )
        const keyed = { id: field(z.string().nullable(), 'Nullable(String)', 'Id') }
        await expect(store.apply([standing('unkeyed', keyed)])).rejects.toThrow(
          'unkeyed.id: part of the identity, so never null',
        )
      })
    })
  })
}
