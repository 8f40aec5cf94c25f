/** The editions of the database on disk. Each is a folder, which is complete or does not exist. The newest two are kept. */
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type IpDatabase, mmdbFiles } from './database.ts'

interface Edition {
  /** The build date, and the publication. Names sort by age. */
  name: string
  path: string
}

const kept = 2
const unfinished = '.unfinished-'
const abandonedMs = 3_600_000

/** The newest comes first. */
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

/** Runs `work` in a new folder and removes it afterwards, unless `keepEdition` has made it an edition. */
export async function inUnfinished<T>(folder: string, work: (path: string) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true })
  const path = await mkdtemp(join(folder, unfinished))
  try {
    return await work(path)
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

/** Makes the folder an edition that survives a power cut, and removes all but the newest two. */
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

/** Removes the folders of killed processes. The folder of a running process is younger. */
export async function removeAbandoned(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.startsWith(unfinished) && now - (await stat(path)).mtimeMs > abandonedMs)
      await rm(path, { recursive: true, force: true })
  }
}
