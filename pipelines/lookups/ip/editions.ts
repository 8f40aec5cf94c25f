/** The editions of the database on disk: each a folder that is complete or not there, the newest two of them kept. */
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type IpDatabase, mmdbFiles } from './database.ts'

export interface Edition {
  /** Sorts by age: when it was built, and what it was fetched as. */
  name: string
  path: string
}

const kept = 2
const unfinished = '.unfinished-'
const abandonedMs = 3_600_000

/** Newest first. */
export async function editionsIn(folder: string): Promise<Edition[]> {
  await mkdir(folder, { recursive: true })
  const names = (await readdir(folder)).filter(name => !name.startsWith('.'))
  return names
    .sort()
    .reverse()
    .map(name => ({ name, path: join(folder, name) }))
}

export const editionName = (database: IpDatabase, origin: string): string =>
  `${database.built.toISOString().slice(0, 19).replaceAll(':', '')}Z.${origin}`

export const originOf = (edition: Edition): string => edition.name.slice(edition.name.indexOf('.') + 1)

/** Runs `work` in a folder that is gone afterwards, unless `keepEdition` made an edition of it. */
export async function inUnfinished<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true })
  const path = await mkdtemp(join(folder, unfinished))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** From here on the edition survives a power cut; those older than the one before it are removed. */
export async function keepEdition(folder: string, path: string, name: string): Promise<Edition> {
  for (const file of await mmdbFiles(path)) {
    const handle = await open(file, 'r+')
    await handle.sync()
    await handle.close()
  }
  const edition = { name, path: join(folder, name) }
  await rm(edition.path, { recursive: true, force: true })
  await rename(path, edition.path)
  for (const old of (await editionsIn(folder)).slice(kept))
    await rm(old.path, { recursive: true, force: true })
  return edition
}

/** What a process that was killed left behind; another one's work in hand is younger. */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.startsWith(unfinished) && now - (await stat(path)).mtimeMs > abandonedMs)
      await rm(path, { recursive: true, force: true })
  }
}
