/** Where a lake lies: a folder, or a bucket of an S3-compatible server. A file is there whole, or not at all. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { s3Client } from '../blobs/s3.ts'
import { readS3Address, type S3Address } from '../blobs/s3-address.ts'

export interface LakePlace {
  /** Undefined where there is no such file. */
  read(name: string): Promise<Buffer | undefined>
  write(name: string, bytes: Buffer): Promise<void>
  remove(name: string): Promise<void>
}

const tryMs = 10 * 60_000

/** Undefined if the address is neither. */
export function lakePlace(at: string): LakePlace | undefined {
  if (!at.includes('://')) return folderPlace(at)
  const address = readS3Address(at)
  return address && bucketPlace(address)
}

function folderPlace(folder: string): LakePlace {
  return {
    async read(name) {
      try {
        return readFileSync(join(folder, name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async write(name, bytes) {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      const partial = join(dirname(file), `_${process.pid}.partial`)
      writeFileSync(partial, bytes, { flush: true })
      renameSync(partial, file)
    },
    async remove(name) {
      rmSync(join(folder, name), { force: true })
    },
  }
}

function bucketPlace(address: S3Address): LakePlace {
  const ask = s3Client(address, tryMs)
  // A day stands in a name as in Hive, and S3 signs an equals sign as it is written in an address.
  const objectOf = (name: string) => address.prefix + name.replaceAll('=', '%3D')
  return {
    async read(name) {
      const { status, bytes } = await ask({ method: 'GET', object: objectOf(name) })
      return status === 404 ? undefined : bytes
    },
    async write(name, bytes) {
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      await ask({ method: 'PUT', object: objectOf(name), body: { bytes, sha256 } })
    },
    async remove(name) {
      await ask({ method: 'DELETE', object: objectOf(name) })
    },
  }
}
