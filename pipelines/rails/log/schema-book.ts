/**
 * The schemas of all datasets stand in the log, by version. A start adds its own, and says where its neighbours will not understand what
 * it writes. A reader learns from the book whether an event that it cannot read is that of a newer version.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { type DatasetSchema, datasetSchemas } from '../../../schemas/dataset-schemas.ts'
import { instant } from '../../../schemas/values/values.ts'
import { Bounded } from '../bounded.ts'
import { eventsIn } from './events.ts'
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
  const book = await bookOf(
    log,
    datasets.map(({ name }) => name),
  )
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
  const known = (await bookOf(log, [dataset.name])).get(dataset.name) ?? []
  const { shape } = schemaOf(dataset)
  const own = known.find(one => one.shape === shape)
  return known.flatMap(one => {
    const isNewer = own !== undefined && one.version > own.version && one.shape !== shape
    const check = isNewer ? checkOf(one) : undefined
    return check ? [check] : []
  })
}

type Book = ReadonlyMap<string, readonly DatasetSchema[]>

interface Reading {
  book: Promise<Book>
  /** `of` has the datasets of all who have asked until it begins. */
  next?: { of: Set<string>; book: Promise<Book> }
}

/** Many sinks may refuse events at once: whoever asks while the book is read shares the next reading, which begins after he has asked. */
const readings = new WeakMap<object, Reading>()

function bookOf(log: Pick<Log, 'watch'>, datasets: readonly string[]): Promise<Book> {
  const begin = (of: ReadonlySet<string>): Promise<Book> => {
    const reading: Reading = { book: readBook(log, of) }
    readings.set(log, reading)
    const over = () => {
      if (readings.get(log) === reading && !reading.next) readings.delete(log)
    }
    reading.book.then(over, over)
    return reading.book
  }
  const reading = readings.get(log)
  if (!reading) return begin(new Set(datasets))
  if (!reading.next) {
    const of = new Set<string>()
    const follow = () => begin(of)
    reading.next = { of, book: reading.book.then(follow, follow) }
  }
  for (const dataset of datasets) reading.next.of.add(dataset)
  return reading.next.book
}

/** Ours have 3,300 letters at most. */
const mostLetters = 64 * 1024
/** Of one dataset, the newest. */
const mostVersions = 50

/**
 * The schemas of these datasets, the newest last. Whoever may write the topic may write anything there, and any number of it: what is no
 * schema of its own key is left out, and no more are kept meanwhile than twice as many as are told.
 */
async function readBook(log: Pick<Log, 'watch'>, of: ReadonlySet<string>): Promise<Book> {
  const found = new Map<string, Map<string, DatasetSchema>>()
  const watching = await log.watch(datasetSchemas.topic, batch => {
    for (const { event, record } of eventsIn(datasetSchemas, batch)) {
      const { dataset } = event
      if (!of.has(dataset) || record.key !== entryOf(datasetSchemas, event).key || !isWhole(event)) continue
      const known = found.get(dataset) ?? new Map<string, DatasetSchema>()
      found.set(dataset, known.set(record.key, event))
      if (known.size < 2 * mostVersions) continue
      const newest = new Set(newestOf(known))
      for (const [key, one] of known) if (!newest.has(one)) known.delete(key)
    }
  })
  await watching.caughtUp
  await watching.close()
  return new Map([...found].map(([dataset, known]) => [dataset, newestOf(known)]))
}

const newestOf = (known: ReadonlyMap<string, DatasetSchema>): DatasetSchema[] =>
  [...known.values()].sort((a, b) => a.version - b.version || (a.at < b.at ? -1 : 1)).slice(-mostVersions)

/** The form of each of ours. A schema that names no columns would take any event, and a sink would wait for its version. */
const ourForm = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.union([z.boolean(), z.record(z.string(), z.unknown())])),
  required: z.array(z.string()).min(1),
  additionalProperties: z.literal(false),
})

/** Is it a schema that its own hash stands for? */
function isWhole({ shape, schema }: DatasetSchema): boolean {
  if (schema.length > mostLetters || hashOf(schema) !== shape) return false
  try {
    return ourForm.safeParse(JSON.parse(schema)).success
  } catch {
    return false
  }
}

const checks = new Bounded<{ check: z.ZodType | undefined }>({ most: 4 * mostVersions })

/** Undefined if it is no schema that can be checked. */
function checkOf({ shape, schema }: DatasetSchema): z.ZodType | undefined {
  const known = checks.ask(shape)
  if (known) return known.check
  let check: z.ZodType | undefined
  try {
    check = z.fromJSONSchema(JSON.parse(schema))
  } catch {
    // Nobody here has written it.
  }
  checks.set(shape, { check })
  return check
}

const hashOf = (schema: string): string => createHash('sha256').update(schema).digest('hex')

function schemaOf({ name, event }: Dataset): Pick<DatasetSchema, 'dataset' | 'shape' | 'schema'> {
  const schema = JSON.stringify(z.toJSONSchema(event, { io: 'input', unrepresentable: 'any' }))
  return { dataset: name, shape: hashOf(schema), schema }
}

/** The columns that a reader of the older schema misses, or cannot read as they are now. */
function foreignTo(older: Shape, newer: Shape): string[] {
  const [before, after] = [older.properties ?? {}, newer.properties ?? {}]
  const missing = (older.required ?? []).filter(name => !(name in after))
  const isSame = (name: string, write: (part: unknown) => string) =>
    JSON.stringify(before[name]) === write(after[name])
  const changed = Object.keys(after).filter(
    name => name in before && !isSame(name, JSON.stringify) && !isSame(name, withoutBounds),
  )
  return [...missing, ...changed]
}

/** What has a bound now was taken without one before. */
const withoutBounds = (part: unknown): string =>
  JSON.stringify(part, (name, value) => (name === 'maxLength' || name === 'maxItems' ? undefined : value))
