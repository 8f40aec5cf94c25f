/** Copies the tables of the datasets into files of a folder, and back. */
import { createReadStream, createWriteStream, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import type { Store } from './store.ts'

const fileOf = (folder: string, { name }: Dataset) => join(folder, `${name}.native.zst`)

export async function backUpStore(
  store: Store,
  datasets: readonly Dataset[],
  folder: string,
  tell: (table: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const dataset of datasets) {
    await pipeline(
      await store.dump(dataset),
      createZstdCompress(),
      createWriteStream(fileOf(folder, dataset)),
    )
    tell(dataset.name)
  }
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
    const file = fileOf(folder, dataset)
    // The dataset is newer than the backup.
    if (!existsSync(file)) continue
    const rows = createZstdDecompress()
    await Promise.all([pipeline(createReadStream(file), rows), store.load(dataset, rows)])
    tell(dataset.name)
  }
}
