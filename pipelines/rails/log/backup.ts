/** Copies a log into a folder while others write to it, and back into an empty log. */
import { once } from 'node:events'
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Topic } from '../../../schemas/dataset/dataset.ts'
import type { Entry, Log } from './log.ts'
import type { LogAt } from './log-address.ts'
import { placeOf } from './open-log.ts'
import { copySqlite } from './sqlite-along.ts'

/** SQLite gives one file, with the progress of its groups. Kafka gives a file for each topic, and no progress. */
const sqliteCopy = 'log.db'
const ending = '.jsonl.zst'

type Told = (what: string, records: number) => void

export async function backUpLog(
  at: LogAt,
  topics: readonly Topic[],
  folder: string,
  tell: Told,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { file, kafka } = placeOf(at)
  if (file) return copySqlite(file, join(folder, sqliteCopy))
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(await kafka(), { topics, creates: false })
  try {
    for (const topic of topics) tell(topic.name, await dump(log, topic, join(folder, topic.name + ending)))
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
  const kept = new Set(readdirSync(folder))
  const { openKafkaLog } = await import('./kafka-log.ts')
  const log = await openKafkaLog(await kafka(), { topics })
  try {
    for (const topic of topics)
      if ((await log.lag(topic, 'restore')) > 0)
        throw new Error(
          `the topic ${topic.name} has records; a log can only be restored where there are none`,
        )
    for (const topic of topics)
      if (kept.has(topic.name + ending))
        tell(topic.name, await load(log, topic, join(folder, topic.name + ending)))
  } finally {
    await log.close()
  }
}

/** Writes a line for each record that the topic holds now. The records of a key stay in order. */
async function dump(log: Log, topic: Topic, file: string): Promise<number> {
  const lines = createZstdCompress()
  const written = pipeline(lines, createWriteStream(file))
  let records = 0
  const watching = await log.watch(topic, async batch => {
    records += batch.length
    const text = batch.map(({ at, key, value }) => `${JSON.stringify({ at, key, value })}\n`)
    if (!lines.write(text.join(''))) await Promise.race([once(lines, 'drain'), written])
  })
  try {
    await Promise.race([watching.caughtUp, watching.ended, written])
  } finally {
    await watching.close()
    lines.end()
  }
  await written
  return records
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
