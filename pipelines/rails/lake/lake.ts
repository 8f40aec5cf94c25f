/**
 * A lake: tables and views as Parquet, a folder for each day (of what has few facts a day, for each month), with a manifest of each. A day that has not changed is not written again,
 * so a run that was interrupted goes on where it was, and each row stands in one file once.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import type { Store } from '../store/store.ts'
import type { LakePlace } from './place.ts'

/** A table or a view that analysts may read. */
export interface LakeSource {
  name: string
  dataset: Dataset
  kind: 'table' | 'view'
}

const part = z.object({ file: z.string(), bytes: z.int(), sha256: z.string() })
const manifestForm = z.object({
  name: z.string(),
  kind: z.enum(['table', 'view']),
  /** The column whose UTC day a row belongs to. Null: the rows have no time, and stand together under the day `all`. */
  day_of: z.string().nullable(),
  by: z.enum(['day', 'month']),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  days: z.record(z.string(), z.object({ rows: z.int(), mark: z.string(), parts: z.array(part) })),
})
export type LakeManifest = z.output<typeof manifestForm>

const mostRows = 1_000_000
/** Years of days with a handful of rows each would be thousands of files. */
const [fewRows, manyDays] = [100, 400]
/** The manifest of years is long. A run that is killed writes the days of this time again. */
const saveMs = 2_000
/** The whole lake, with the folders that it has. It is written last. */
export const lakeFile = '_lake.json'
const manifestOf = (name: string): string => `${name}/_manifest.json`

export async function readManifest(place: LakePlace, name: string): Promise<LakeManifest | undefined> {
  const bytes = await place.read(manifestOf(name))
  return bytes && manifestForm.parse(JSON.parse(bytes.toString()))
}

interface Written {
  days: number
  rows: number
}

/** Writes the days that have changed. */
export async function pourInto(
  place: LakePlace,
  store: Pick<Store, 'query' | 'written'>,
  { name, dataset, kind }: LakeSource,
): Promise<Written> {
  const columns = await store.query<{ name: string; type: string }>(`describe table ${name}`)
  const shown = columns.filter(column => column.name !== 'is_deleted').map(asRead)
  const day_of = dayColumn(shown, kind === 'table' ? dataset.identity : [])
  const known = await readManifest(place, name)
  const rows = kind === 'table' ? `(select * except is_deleted from ${name} final)` : name
  const by = day_of === null ? 'day' : await unitOf(store, rows, day_of)
  const form = by === 'day' ? '%Y-%m-%d' : '%Y-%m'
  const day = day_of === null ? `'all'` : `formatDateTime(toDate(\`${day_of}\`, 'UTC'), '${form}')`
  const isSame = known?.day_of === day_of && known.by === by
  const columnsNow = shown.map(({ name, type }) => ({ name, type }))
  const isShaped = JSON.stringify(known?.columns) === JSON.stringify(columnsNow)
  const days = isSame ? (isShaped ? { ...known.days } : unmarked(known.days)) : {}
  const manifest = { name, kind, day_of, by, columns: columnsNow, days }
  const save = () => place.write(manifestOf(name), Buffer.from(`${JSON.stringify(manifest)}\n`))
  for (const { parts } of isSame ? [] : Object.values(known?.days ?? {}))
    for (const { file } of parts) await place.remove(file)
  // A version is the place of a fact in the log, so a day with the same number and sum of them has the same rows.
  const mark = kind === 'table' ? 'sum(version)' : 'sum(cityHash64(toString(tuple(*))))'
  const found = await store.query<{ day: string; rows: string; mark: string }>(
    `select ${day} as day, toString(count()) as rows, toString(${mark}) as mark from ${rows} group by day order by day`,
  )
  const written = { days: 0, rows: 0 }
  let savedAt = performance.now()
  for (const one of found) {
    const before = days[one.day]
    if (before?.mark === one.mark && before.rows === Number(one.rows)) continue
    const parts = await pourDay({ place, store, name, rows, day, by, one, shown })
    for (const { file } of before?.parts ?? [])
      if (!parts.some(each => each.file === file)) await place.remove(file)
    days[one.day] = { rows: Number(one.rows), mark: one.mark, parts }
    if (performance.now() - savedAt > saveMs) {
      await save()
      savedAt = performance.now()
    }
    written.days += 1
    written.rows += Number(one.rows)
  }
  const gone = Object.keys(days).filter(each => !found.some(({ day }) => day === each))
  for (const each of gone) {
    for (const { file } of days[each]?.parts ?? []) await place.remove(file)
    delete days[each]
  }
  if (gone.length || written.days || !known) await save()
  return written
}

/** Rows of the same versions that had other columns: each day is written again. */
const unmarked = (days: LakeManifest['days']): LakeManifest['days'] =>
  Object.fromEntries(Object.entries(days).map(([day, one]) => [day, { ...one, mark: '' }]))

async function unitOf(store: Pick<Store, 'query'>, rows: string, day_of: string): Promise<'day' | 'month'> {
  const [found] = await store.query<{ days: string; rows: string }>(
    `select toString(uniqExact(toDate(\`${day_of}\`, 'UTC'))) as days, toString(count()) as rows from ${rows}`,
  )
  const days = Number(found?.days ?? 0)
  return days > manyDays && Number(found?.rows) / days < fewRows ? 'month' : 'day'
}

interface Pouring {
  place: LakePlace
  store: Pick<Store, 'written'>
  name: string
  /** SQL of all rows, and of the day of a row. */
  rows: string
  day: string
  by: 'day' | 'month'
  one: { day: string; rows: string }
  shown: readonly { name: string; type: string; isCast: boolean }[]
}

/** Spark reads no decimal of more digits. A product or a sum of decimals has twice as many. */
const mostDigits = 38
const wide = /^(Nullable\()?Decimal\((\d+), (\d+)\)/
/** With more digits behind the point, a decimal of this width has too little room before it, or none: such a number is written as text. */
const mostScale = 20

const asRead = ({ name, type: stored }: { name: string; type: string }) => {
  const type = stored.replace(wide, (all, nullable = '', digits: string, scale: string) => {
    if (Number(digits) <= mostDigits) return all
    return Number(scale) > mostScale ? `${nullable}String` : `${nullable}Decimal(${mostDigits}, ${scale})`
  })
  return { name, type, isCast: type !== stored }
}

/** Large days are cut by a hash of their rows, so that no part is too large for memory. */
async function pourDay({ place, store, name, rows, day, by, one, shown }: Pouring) {
  const count = Math.max(1, Math.ceil(Number(one.rows) / mostRows))
  const names = shown
    .map(({ name, type, isCast }) => (isCast ? `cast(\`${name}\`, '${type}') as \`${name}\`` : `\`${name}\``))
    .join(', ')
  const parts: z.output<typeof part>[] = []
  for (let n = 0; n < count; n++) {
    const own = count === 1 ? '' : ` and cityHash64(toString(tuple(*))) % ${count} = ${n}`
    const sql = `select ${names} from ${rows} where ${day} = '${one.day}'${own} settings output_format_parquet_fixed_string_as_fixed_byte_array = 0, output_format_parquet_string_as_string = 1 format Parquet`
    const bytes = await buffer(await store.written(sql))
    if (bytes.subarray(0, 4).toString('latin1') !== 'PAR1') throw new Error('the store gave no Parquet')
    const file = `${name}/lake_${by}=${one.day}/part-${n}.parquet`
    await place.write(file, bytes)
    parts.push({ file, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  return parts
}

const isTime = ({ type }: { type: string }): boolean => /^(Nullable\()?Date(Time)?(64)?\b/.test(type)

/** The time that a fact is known by: in its identity, or `at`, or `day`, or the first that it has. */
function dayColumn(
  columns: readonly { name: string; type: string }[],
  identity: readonly string[],
): string | null {
  const times = columns.filter(column => isTime(column) && !column.type.startsWith('Nullable'))
  const named = [...identity, 'at', 'day'].find(name => times.some(column => column.name === name))
  return named ?? times[0]?.name ?? null
}

/** Brings a table back. A row carries its version, so a row that is there already changes nothing. */
export async function pourBack(
  place: LakePlace,
  store: Pick<Store, 'load'>,
  dataset: Dataset,
): Promise<Written> {
  const manifest = await readManifest(place, dataset.name)
  const written = { days: 0, rows: 0 }
  for (const [day, { rows, parts }] of Object.entries(manifest?.days ?? {})) {
    for (const { file, sha256 } of parts) {
      const bytes = await place.read(file)
      if (!bytes || createHash('sha256').update(bytes).digest('hex') !== sha256)
        throw new Error(`${file} of ${day} is not as its manifest says`)
      await store.load(dataset, Readable.from([bytes]), 'Parquet')
    }
    written.days += 1
    written.rows += rows
  }
  return written
}
