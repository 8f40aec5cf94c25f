/** `npm run backup -- --to FOLDER` and `npm run restore -- --from FOLDER`: log, store and large answers. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { backUpLog, restoreLog } from '../../pipelines/rails/log/backup.ts'
import { backUpStore, restoreStore } from '../../pipelines/rails/store/backup.ts'
import { attachStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import { loadConfig, loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run backup -- --to FOLDER [--after EARLIER]
npm run restore -- --from FOLDER

  Backup copies the log, the store and the folder of large answers while the service runs. FOLDER appears when all is in it.
  --after names an earlier backup: months of the store and, of Kafka, records of topics that are kept for ever are taken from it where they
  have not changed, as links to its files on the same disk. Each backup is whole, and an earlier one may be removed.
  Restore brings them back while the service is stopped, where there is no log yet. LOG_URL, STORE_URL and BLOBS_URL (or
  DATA_DIR) name log, store and answers, as for npm run serve. A bucket of large answers is left to its own backup.`

const topics = datasets.map(({ topic }) => topic)
const stored = datasets.filter(({ audience }) => audience !== 'log')
const note = 'backup.json'
const count = new Intl.NumberFormat('en').format
const told = {
  topic: (name: string, records: number) => console.log(`topic ${name}: ${count(records)} records`),
  table: (name: string) => console.log(`table ${name}`),
}

/** The folder of large answers. Undefined if a bucket holds them. */
const answersIn = (url: string | undefined) =>
  url?.startsWith('file:') ? url.slice('file:'.length) : undefined

const within = (folder: string | undefined, part: string) =>
  folder === undefined ? undefined : join(folder, part)

async function backup(folder: string, after: string | undefined): Promise<void> {
  if (after !== undefined && !existsSync(join(after, note)))
    throw new Misused(`${after} is no complete backup`)
  if (existsSync(folder)) throw new Misused(`${folder} is there; a backup needs a folder of its own`)
  const { BLOBS_URL } = await loadConfig()
  const log = await loadLog()
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  // The log comes first. So the store holds every row that a sink of this log has committed.
  await backUpLog(log, topics, join(partial, 'log'), told.topic, within(after, 'log'))
  await withStore(store =>
    backUpStore(store, stored, join(partial, 'store'), told.table, within(after, 'store')),
  )
  const answers = answersIn(BLOBS_URL)
  if (answers && existsSync(answers)) cpSync(answers, join(partial, 'answers'), { recursive: true })
  writeFileSync(join(partial, note), JSON.stringify({ version: manifest.version }))
  renameSync(partial, folder)
  console.log(`${folder} is complete`)
}

async function restore(folder: string): Promise<void> {
  if (!existsSync(join(folder, note))) throw new Misused(`${folder} is no complete backup`)
  const { BLOBS_URL } = await loadConfig()
  const log = await loadLog()
  const { version } = JSON.parse(readFileSync(join(folder, note), 'utf8'))
  console.log(`the backup is of version ${version}, this is ${manifest.version}`)
  // The log comes last. So an interrupted restore can be repeated, because there is no log yet.
  await withStore(store => restoreStore(store, stored, join(folder, 'store'), told.table))
  const [kept, answers] = [join(folder, 'answers'), answersIn(BLOBS_URL)]
  if (answers && existsSync(kept)) cpSync(kept, answers, { recursive: true })
  await restoreLog(log, topics, join(folder, 'log'), told.topic)
  console.log('log and store are restored')
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { STORE_URL, STORE_CLUSTER } = await loadConfig()
  const store = await attachStore(STORE_URL, { cluster: STORE_CLUSTER })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

const wishes = ([command, ...rest]: string[]): (() => Promise<void>) =>
  wishesOf(usage, () => {
    const { values } = parseArgs({
      args: rest,
      options: { to: { type: 'string' }, from: { type: 'string' }, after: { type: 'string' } },
    })
    const { to, from, after } = values
    if (command === 'backup' && to && !from) return () => backup(to, after)
    if (command === 'restore' && from && !to && !after) return () => restore(from)
    throw new Misused(usage)
  })

if (import.meta.main) runCommand(usage, async args => wishes(args)())
