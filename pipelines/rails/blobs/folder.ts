/** Keeps blobs as files of one folder. Processes may share the folder. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BlobsAway } from './blobs.ts'
import { type BlobName, type BlobPlace, hourForm } from './kept.ts'

/**
 * Rejects where the folder cannot be written, so that a wrong folder fails at the start and not at the first large
 * answer.
 */
export async function openFolder(path: string): Promise<BlobPlace> {
  const fileOf = ({ hour, hash }: BlobName) => join(path, hour, hash)

  async function write(file: string, bytes: Uint8Array): Promise<void> {
    const part = `${file}.${randomUUID()}.part`
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeThrough(part, bytes)
      // It replaces a file that exists, so that a damaged one is repaired.
      await rename(part, file)
      await sync(dirname(file))
      await sync(path)
    } catch (error) {
      await rm(part, { force: true }).catch(() => {})
      throw new BlobsAway(`cannot write to ${path}: ${(error as Error).message}`, { cause: error })
    }
  }

  const probe = join(path, 'probe')
  await write(probe, new Uint8Array(1))
  await rm(probe, { force: true })
  await sync(dirname(path))

  return {
    write: (name, bytes) => write(fileOf(name), bytes),
    async read(name) {
      try {
        return await readFile(fileOf(name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new BlobsAway(`cannot read from ${path}: ${(error as Error).message}`, { cause: error })
      }
    },
    async removeUntil(last) {
      const hours = (await readdir(path)).filter(name => hourForm.test(name) && name <= last)
      // This also removes the incomplete files of a killed process.
      for (const hour of hours) await rm(join(path, hour), { recursive: true, force: true })
    },
  }
}

async function writeThrough(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A new name survives a power cut only after its folder is synced too. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
