/** What a lake does with columns: those that others cannot read, and those that it has not had before. */
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { type LakeSource, pourInto } from '../../../../pipelines/rails/lake/lake.ts'
import type { LakePlace } from '../../../../pipelines/rails/lake/place.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { tokenPrices } from '../../../../schemas/token-prices.ts'

/** The SQL that writes a day of a table with this column. */
async function writingOf(type: string): Promise<string> {
  let asked = ''
  const store = {
    query: async (sql: string) => {
      if (sql.startsWith('describe'))
        return [
          { name: 'at', type: "DateTime64(3, 'UTC')" },
          { name: 'price_usd', type },
        ]
      return sql.includes('uniqExact')
        ? [{ days: '1', rows: '1' }]
        : [{ day: '2026-11-27', rows: '1', mark: '1' }]
    },
    written: async (sql: string) => {
      asked = sql
      return Readable.from([Buffer.from('PAR1')])
    },
  } as unknown as Pick<Store, 'query' | 'written'>
  const place = { read: async () => undefined, write: async () => {} } as unknown as LakePlace
  const source: LakeSource = { name: 'token_prices', dataset: tokenPrices, kind: 'table' }
  await pourInto(place, store, source)
  return asked
}

it.each([
  ['Decimal(76, 8)', "cast(`price_usd`, 'Decimal(38, 8)')"],
  ['Nullable(Decimal(76, 18))', "cast(`price_usd`, 'Nullable(Decimal(38, 18))')"],
  // No decimal of 38 digits has 45 behind the point, and none of them may be lost.
  ['Decimal(76, 45)', "cast(`price_usd`, 'String')"],
  ['Nullable(Decimal(76, 45))', "cast(`price_usd`, 'Nullable(String)')"],
])('a %s is written with 38 digits at most, or as text', async (type, written) => {
  expect(await writingOf(type)).toContain(written)
})

it('a decimal that others can read stays as it is', async () => {
  expect(await writingOf('Decimal(38, 6)')).toContain('select `at`, `price_usd` from')
})

it('writes a day again whose rows have other columns, though their versions are the same', async () => {
  const files = new Map<string, Buffer>()
  const place: LakePlace = {
    read: async name => files.get(name),
    write: async (name, bytes) => void files.set(name, bytes),
    remove: async name => void files.delete(name),
  }
  const columns = [{ name: 'at', type: "DateTime64(3, 'UTC')" }]
  const store = {
    query: async (sql: string) => {
      if (sql.startsWith('describe')) return columns
      if (sql.includes('uniqExact')) return [{ days: '2', rows: '2' }]
      return ['2026-11-26', '2026-11-27'].map(day => ({ day, rows: '1', mark: '1' }))
    },
    written: async () => Readable.from([Buffer.from('PAR1')]),
  } as unknown as Pick<Store, 'query' | 'written'>
  const pour = () => pourInto(place, store, { name: 'token_prices', dataset: tokenPrices, kind: 'table' })
  expect(await pour()).toEqual({ days: 2, rows: 2 })
  expect(await pour()).toEqual({ days: 0, rows: 0 })
  columns.push({ name: 'price_usd', type: 'String' })
  expect(await pour()).toEqual({ days: 2, rows: 2 })
  expect(await pour()).toEqual({ days: 0, rows: 0 })
})
