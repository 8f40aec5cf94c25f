/** Adds to any place the contract of Blobs: names, checked hashes, and an end for every blob. */
import { metrics } from '../metrics.ts'
import { sha256 } from '../signing/sha256.ts'
import { BlobLost, type Blobs, type BlobsOptions } from './blobs.ts'

/** A place for bytes under names of the form `<hour>/<hash>`. */
export interface BlobPlace {
  /** Resolves when the bytes would survive a power cut. The same name always means the same bytes. */
  write(name: BlobName, bytes: Uint8Array): Promise<void>
  read(name: BlobName): Promise<Buffer | undefined>
  /** Removes the blobs of this hour and of earlier ones. An abort may stop it halfway. */
  removeUntil(hour: string, signal: AbortSignal): Promise<void>
}

export interface BlobName {
  /** UTC, such as `2026-11-22T03`. The blob is kept until this hour begins. */
  hour: string
  hash: string
}

export const hourForm = /^\d{4}-\d\d-\d\dT\d\d$/
const hashForm = /^[0-9a-f]{64}$/
const hourMs = 3_600_000

/**
 * The name says until when a blob is kept. So a sweep and a put never touch the same blob: nobody writes to an hour that
 * has begun. If the age decided, a put could renew a blob while a sweep deletes it.
 */
export function keptIn(place: BlobPlace, options: BlobsOptions): Blobs {
  const { now = Date.now, sweepMs = 600_000, onlyPuts = false, onError = () => {} } = options
  const writing = new Set<Promise<unknown>>()
  const closing = new AbortController()
  let sweeping: Promise<void> | undefined

  function sweep(): void {
    sweeping ??= timed('sweep', () => place.removeUntil(hourOf(now()), closing.signal))
      .catch(error => {
        if (!closing.signal.aborted) onError(error)
      })
      .finally(() => {
        sweeping = undefined
      })
  }
  const sweeper = onlyPuts ? undefined : setInterval(sweep, sweepMs).unref()
  if (!onlyPuts) sweep()

  return {
    async put(bytes, keepMs) {
      if (closing.signal.aborted) throw new Error('the store of blobs is closed')
      const name = { hour: hourOf(now() + keepMs + hourMs - 1), hash: sha256(bytes) }
      const written = timed('put', () => place.write(name, bytes))
      writing.add(written)
      await written.finally(() => writing.delete(written))
      return `${name.hour}/${name.hash}`
    },
    get: name => timed('get', () => checked(place, name)),
    async close() {
      closing.abort()
      clearInterval(sweeper)
      await Promise.allSettled([...writing, sweeping])
    },
  }
}

/** Returns undefined for a text that is not a blob name, so that no such text becomes a path. */
export function readName(text: string): BlobName | undefined {
  const [hour = '', hash = '', ...rest] = text.split('/')
  return hourForm.test(hour) && hashForm.test(hash) && rest.length === 0 ? { hour, hash } : undefined
}

async function checked(place: BlobPlace, text: string): Promise<Buffer> {
  const name = readName(text)
  if (!name) throw new BlobLost(`${JSON.stringify(text.slice(0, 100))} is not the name of a blob`)
  const bytes = await place.read(name)
  if (!bytes) throw new BlobLost(`the blob ${text} is gone`)
  if (sha256(bytes) !== name.hash) throw new BlobLost(`the blob ${text} is damaged`)
  return bytes
}

async function timed<T>(call: 'put' | 'get' | 'sweep', work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  let outcome = 'ok'
  try {
    return await work()
  } catch (error) {
    outcome = error instanceof BlobLost ? 'lost' : 'failed'
    throw error
  } finally {
    metrics.blobSeconds.observe({ call, outcome }, (performance.now() - startedAt) / 1000)
  }
}

const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, 13)
