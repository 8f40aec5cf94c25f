/** Copies a log into a folder while others write to it, and back into an empty log. */
import { once } from 'node:events'
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import { takeFrom } from '../earlier-file.ts'
import type { Entry, Log, Received } from './log.ts'
import type { LogAt } from './log-address.ts'
import { placeOf } from './open-log.ts'
import { copySqlite } from './sqlite-along.ts'

/** SQLite gives one file, with the progress of its groups. Kafka gives a file for each topic, and no progress. */
const sqliteCopy = 'log.db'
const ending = '.jsonl.zst'

/** Where the copy of each partition of a topic ends. */
const endsFile = 'ends.json'
const endsForm = z.record(z.string(), z.record(z.string(), z.string().regex(/^\d+$/)))
type Ends = z.output<typeof endsForm>

function endsIn(folder: string): Ends {
  const file = join(folder, endsFile)
  return existsSync(file) ? endsForm.parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/** The files of a topic: the first one, and a numbered one of each backup that went on from it. */
function filesOf(folder: string, { name }: Topic): string[] {
  const files: string[] = []
  for (let nth = 1; ; nth++) {
    const file = `${name}${nth === 1 ? '' : `.${nth}`}${ending}`
    if (!existsSync(join(folder, file))) return files
    files.push(file)
  }
}

type Told = (what: string, records: number) => void

export async function backUpLog(
  at: LogAt,
  topics: readonly Topic[],
  folder: string,
  tell: Told,
  after?: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { file, kafka } = placeOf(at)
  if (file) return copySqlite(file, join(folder, sqliteCopy))
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(await kafka(), { topics, creates: false })
  try {
    const ends: Ends = {}
    const known = after === undefined ? {} : endsIn(after)
    for (const topic of topics) {
      // What is compacted or deleted in the log would stay in a backup that goes on from another one.
      const goesOn = after !== undefined && topic.keep === 'forever' ? known[topic.name] : undefined
      const earlier = goesOn && after !== undefined ? filesOf(after, topic) : []
      for (const file of earlier) takeFrom(join(after as string, file), join(folder, file))
      const file = join(folder, `${topic.name}${earlier.length ? `.${earlier.length + 1}` : ''}${ending}`)
      const { records, end } = await dump(log, topic, file, goesOn)
      ends[topic.name] = end
      tell(topic.name, records)
    }
    writeFileSync(join(folder, endsFile), JSON.stringify(ends))
  } finally {
    await log.close()
  }
}

export async function restoreLog(
  at: LogAt,
  topics: readonly Topic[],
  folder: string,
  tell: Told,
): Promise<void> {
  const { file, kafka } = placeOf(at)
  const hasCopy = existsSync(join(folder, sqliteCopy))
  if ((file !== undefined) !== hasCopy)
    throw new Error(
      `${folder} is the backup of a ${hasCopy ? 'SQLite' : 'Kafka'} log, but LOG_URL names a log of the other kind`,
    )
  if (file) {
    if (existsSync(file)) throw new Error(`${file} exists; a log can only be restored where there is none`)
    mkdirSync(dirname(file), { recursive: true })
    copyFileSync(join(folder, sqliteCopy), file)
    return
  }
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(await kafka(), { topics })
  try {
    for (const topic of topics)
      if ((await log.lag(topic, 'restore')) > 0)
        throw new Error(
          `the topic ${topic.name} has records; a log can only be restored where there are none`,
        )
    for (const topic of topics) {
      let records = 0
      const files = filesOf(folder, topic)
      for (const file of files) records += await load(log, topic, join(folder, file))
      if (files.length) tell(topic.name, records)
    }
  } finally {
    await log.close()
  }
}

/** Writes a line for each record that the topic holds now. The records of a key stay in order. */
async function dump(
  log: Log,
  topic: Topic,
  file: string,
  since: Ends[string] = {},
): Promise<{ records: number; end: Ends[string] }> {
  const lines = createZstdCompress()
  const written = pipeline(lines, createWriteStream(file))
  let records = 0
  const end = { ...since }
  const from = new Map(Object.entries(since).map(([partition, next]) => [Number(partition), BigInt(next)]))
  const take = async (batch: readonly Received[]) => {
    records += batch.length
    for (const { partition, offset } of batch) end[partition] = String(offset + 1n)
    const text = batch.map(({ at, key, value }) => `${JSON.stringify({ at, key, value })}\n`)
    if (!lines.write(text.join(''))) await Promise.race([once(lines, 'drain'), written])
  }
  const watching = await log.watch(topic, take, { from: from.size ? from : 'beginning' })
  try {
    await Promise.race([watching.caughtUp, watching.ended, written])
  } finally {
    await watching.close()
    lines.end()
  }
  await written
  return { records, end }
}

const atOnce = 500

async function load(log: Log, topic: Topic, file: string): Promise<number> {
  let entries: Entry[] = []
  let records = 0
  const append = async () => {
    await log.append(topic, entries)
    records += entries.length
    entries = []
  }
  const text = createReadStream(file).pipe(createZstdDecompress())
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { key, value } = JSON.parse(line)
    entries.push({ key, value })
    if (entries.length === atOnce) await append()
  }
  if (entries.length > 0) await append()
  return records
}
