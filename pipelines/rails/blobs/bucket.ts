/** Keeps blobs as objects in a bucket of an S3-compatible server. All instances share it. */
import { sha256 } from '../signing/sha256.ts'
import { type BlobName, type BlobPlace, readName } from './kept.ts'
import { S3Refused, s3Client } from './s3.ts'
import type { S3Address } from './s3-address.ts'

export interface BucketOptions {
  /** The time limit of one try. */
  tryMs?: number
  /** The number of names in one answer of the server. */
  pageSize?: number
  onlyPuts?: boolean
  onError?: (error: unknown) => void
}

const deletedAtOnce = 16

/** A refused key or bucket stops the start. A server that is down does not, because it may come back. */
export async function openBucket(address: S3Address, options: BucketOptions): Promise<BlobPlace> {
  const { tryMs = 7000, pageSize = 1000, onlyPuts = false, onError = () => {} } = options
  const { prefix } = address
  const ask = s3Client(address, tryMs)
  const objectOf = ({ hour, hash }: BlobName) => `${prefix}${hour}/${hash}`

  async function list({ token, signal }: { token?: string | undefined; signal?: AbortSignal } = {}) {
    const query = {
      'list-type': '2',
      prefix,
      'max-keys': String(pageSize),
      ...(token && { 'continuation-token': token }),
    }
    const text = (await ask({ method: 'GET', query, signal })).bytes.toString('utf8')
    const keys = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key)
    return {
      // Another program owns names of another form. They stay.
      names: keys.map(key => readName(key.slice(prefix.length))).filter(name => name !== undefined),
      next: /<NextContinuationToken>([^<]+)</.exec(text)?.[1],
    }
  }

  const probe = { bytes: new Uint8Array(1), sha256: sha256(new Uint8Array(1)) }
  const tried = onlyPuts ? ask({ method: 'PUT', object: `${prefix}probe`, body: probe }) : list()
  await tried.catch(error => {
    if (error instanceof S3Refused) throw error
    onError(error)
  })

  return {
    async write(name, bytes) {
      await ask({ method: 'PUT', object: objectOf(name), body: { bytes, sha256: name.hash } })
    },
    async read(name) {
      const { status, bytes } = await ask({ method: 'GET', object: objectOf(name) })
      return status === 404 ? undefined : bytes
    },
    async removeUntil(last, signal) {
      for (let token: string | undefined; ; ) {
        const { names, next } = await list({ token, signal })
        const expired = names.filter(({ hour }) => hour <= last)
        for (let i = 0; i < expired.length; i += deletedAtOnce)
          await Promise.all(
            expired
              .slice(i, i + deletedAtOnce)
              .map(name => ask({ method: 'DELETE', object: objectOf(name), signal })),
          )
        // Names come in order. After one that is still kept, all others are kept too.
        if (!next || expired.length < names.length) return
        token = next
      }
    },
  }
}
