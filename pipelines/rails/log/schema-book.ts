/**
 * The schemas of all datasets stand in the log, by version. A start adds its own, and says where its neighbours will not understand what
 * it writes. A reader learns from the book whether an event that it cannot read is that of a newer version.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { type DatasetSchema, datasetSchemas } from '../../../schemas/dataset-schemas.ts'
import { instant } from '../../../schemas/values/values.ts'
import { newestNow } from './events.ts'
import { entryOf, type Log } from './log.ts'

interface Announcing {
  log: Pick<Log, 'append' | 'watch'>
  now: () => number
  /** Hears what an operator should know. */
  tell(line: string): void
}

/** The parts of a schema that tell whether an older reader understands an event of it. */
interface Shape {
  properties?: Record<string, unknown>
  required?: string[]
}

export async function announce(datasets: readonly Dataset[], { log, now, tell }: Announcing): Promise<void> {
  const book = await bookOf(log)
  const added: DatasetSchema[] = []
  for (const dataset of datasets) {
    const known = book.get(dataset.name) ?? []
    const own = schemaOf(dataset)
    const standing = known.find(({ shape }) => shape === own.shape)
    const newest = known.at(-1)
    if (standing) {
      if (newest && newest.version > standing.version)
        tell(`${dataset.topic.name}: a newer version has written here; what this one cannot read is not sold`)
      continue
    }
    const foreign = newest ? foreignTo(JSON.parse(newest.schema), JSON.parse(own.schema)) : []
    if (foreign.length)
      tell(
        `${dataset.topic.name}: an older version beside this one cannot read ${foreign.join(', ')}: stop it first`,
      )
    added.push({ ...own, version: (newest?.version ?? 0) + 1, at: instant(now()) })
  }
  if (added.length)
    await log.append(
      datasetSchemas.topic,
      added.map(one => entryOf(datasetSchemas, one)),
    )
}

/** The checks of the versions that are newer than this one. */
export async function newerSchemas(log: Pick<Log, 'watch'>, dataset: Dataset): Promise<z.ZodType[]> {
  const known = (await bookOf(log)).get(dataset.name) ?? []
  const { shape } = schemaOf(dataset)
  const own = known.find(one => one.shape === shape)
  return known
    .filter(({ version }) => own !== undefined && version > own.version)
    .map(({ schema }) => z.fromJSONSchema(JSON.parse(schema)))
}

/** The schemas of each dataset, the newest last. */
async function bookOf(log: Pick<Log, 'watch'>): Promise<Map<string, DatasetSchema[]>> {
  const book = new Map<string, DatasetSchema[]>()
  for (const one of (await newestNow(log, datasetSchemas)).values())
    book.set(one.dataset, [...(book.get(one.dataset) ?? []), one])
  for (const known of book.values()) known.sort((a, b) => a.version - b.version || (a.at < b.at ? -1 : 1))
  return book
}

function schemaOf({ name, event }: Dataset): Pick<DatasetSchema, 'dataset' | 'shape' | 'schema'> {
  const schema = JSON.stringify(z.toJSONSchema(event, { io: 'input', unrepresentable: 'any' }))
  return { dataset: name, shape: createHash('sha256').update(schema).digest('hex'), schema }
}

/** The columns that a reader of the older schema misses, or cannot read as they are now. */
function foreignTo(older: Shape, newer: Shape): string[] {
  const [before, after] = [older.properties ?? {}, newer.properties ?? {}]
  const missing = (older.required ?? []).filter(name => !(name in after))
  const changed = Object.keys(after).filter(
    name => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return [...missing, ...changed]
}
