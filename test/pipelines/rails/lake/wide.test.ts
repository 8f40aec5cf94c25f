/** What a lake does with decimals that others cannot read. */
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
