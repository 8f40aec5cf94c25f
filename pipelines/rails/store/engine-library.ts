/** The library of the engine: the one that npm installed. An image carries it packed, and it is unpacked once, beside the rows. */
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createZstdDecompress } from 'node:zlib'
import { tryResolveLibchdb } from 'chdb/libchdb'
import { StoreError } from './store.ts'

/** Where npm puts the engine of a platform. */
const platforms = fileURLToPath(new URL('../../../node_modules/@chdb/', import.meta.url))
const packedName = 'libchdb.so.zst'
const unpackedName = /^libchdb-.*\.so(?:\.\d+)?$/

/** Undefined where npm has left the engine out. Unpacks it into this folder, if need be. */
export async function engineLibrary(folder: string, from = platforms): Promise<string | undefined> {
  const installed = from === platforms ? tryResolveLibchdb({ env: {} })?.path : undefined
  return installed ?? (await unpackedLibrary(folder, from))
}

async function unpackedLibrary(folder: string, from: string): Promise<string | undefined> {
  const names = existsSync(from) ? readdirSync(from) : []
  const packed = names.map(name => join(from, name, packedName)).find(path => existsSync(path))
  if (!packed) return undefined
  const { version } = JSON.parse(readFileSync(join(dirname(packed), 'package.json'), 'utf8'))
  const library = join(folder, `libchdb-${version}.so`)
  if (existsSync(library)) return library
  mkdirSync(folder, { recursive: true })
  // Those of other versions, and what a killed start has left.
  const others = readdirSync(folder).filter(name => unpackedName.test(name))
  await Promise.all(others.map(name => rm(join(folder, name))))
  const part = `${library}.${process.pid}`
  try {
    await pipeline(createReadStream(packed), createZstdDecompress(), createWriteStream(part))
    await rename(part, library)
  } catch (error) {
    await rm(part, { force: true })
    throw new StoreError(`${basename(packed)} cannot be unpacked into ${folder}: ${(error as Error).message}`)
  }
  return library
}
