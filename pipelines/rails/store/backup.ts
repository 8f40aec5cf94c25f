/** Copies the tables of the datasets into files of a folder, one for each month of the log, and back. */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import { takeFrom } from '../earlier-file.ts'
import type { Store } from './store.ts'

const ending = '.native.zst'
const marksForm = z.record(z.string(), z.string())

/** `after`: the folder of an earlier backup. Months that have not changed since are taken from it. */
export async function backUpStore(
  store: Store,
  datasets: readonly Dataset[],
  folder: string,
  tell: (table: string) => void,
  after?: string,
): Promise<void> {
  for (const dataset of datasets) {
    const own = join(folder, dataset.name)
    const before = after === undefined ? undefined : join(after, dataset.name)
    const known = before === undefined ? {} : marksIn(before)
    mkdirSync(own, { recursive: true })
    // A row that comes between this and its file changes the mark, so the next backup has the month again.
    const months = await store.months(dataset)
    for (const [month, mark] of months) {
      const file = join(own, month + ending)
      if (before !== undefined && known[month] === mark) takeFrom(join(before, month + ending), file)
      else await pipeline(await store.dump(dataset, month), createZstdCompress(), createWriteStream(file))
    }
    writeFileSync(join(own, 'months.json'), JSON.stringify(Object.fromEntries(months)))
    tell(dataset.name)
  }
}

function marksIn(folder: string): Record<string, string> {
  const file = join(folder, 'months.json')
  return existsSync(file) ? marksForm.parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/** The dataset may be newer than the backup. A backup of before has one file for each table. */
function filesOf(folder: string, { name }: Dataset): string[] {
  const own = join(folder, name)
  if (!existsSync(own)) return [own + ending].filter(existsSync)
  return readdirSync(own)
    .filter(file => file.endsWith(ending))
    .sort()
    .map(file => join(own, file))
}

/** A row carries its version, so restoring a row that the table already has changes nothing. */
export async function restoreStore(
  store: Store,
  datasets: readonly Dataset[],
  folder: string,
  tell: (table: string) => void,
): Promise<void> {
  await store.apply(datasets)
  for (const dataset of datasets) {
    const files = filesOf(folder, dataset)
    for (const file of files) {
      const rows = createZstdDecompress()
      await Promise.all([pipeline(createReadStream(file), rows), store.load(dataset, rows)])
    }
    if (files.length) tell(dataset.name)
  }
}
