/**
 * Sends requests to an S3-compatible server.
 * They are signed, bounded in time, and repeated where the server may only be busy.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import { reasonOf } from '../failures.ts'
import { BlobsAway } from './blobs.ts'
import type { S3Address } from './s3-address.ts'

interface S3Request {
  method: 'GET' | 'PUT' | 'DELETE'
  /** Absent: the request is about the bucket itself. */
  object?: string
  query?: Record<string, string>
  /** The bytes and their SHA-256. The server refuses bytes that do not match it. */
  body?: { bytes: Uint8Array; sha256: string }
  signal?: AbortSignal | undefined
}

interface S3Answer {
  status: number
  bytes: Buffer
}

/** The server refused: the key is wrong, the bucket does not exist, or a clock is wrong. */
export class S3Refused extends BlobsAway {
  override name = 'S3Refused'
}

const pausesMs = [200, 1000]

/** Its requests resolve with a 2xx, or with the 404 of an object that does not exist. */
export function s3Client(address: S3Address, tryMs: number) {
  const { origin, bucket, key, secret, region = 'us-east-1' } = address
  const at = `S3 at ${new URL(origin).host}`
  const cache = new Map<string, ArrayBuffer>()

  async function once({ method, object = '', query = {}, body, signal }: S3Request): Promise<S3Answer> {
    const url = new URL(`${origin}/${bucket}/${object}`.replace(/\/$/, ''))
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': body?.sha256 ?? emptySha256 },
      service: 's3',
      region,
      accessKeyId: key,
      secretAccessKey: secret,
      cache,
    })
    const { headers } = await signer.sign()
    const response = await fetch(url, {
      method,
      headers,
      body: body?.bytes ?? null,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(tryMs), ...(signal ? [signal] : [])]),
    })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  return async (request: S3Request): Promise<S3Answer> => {
    for (let tries = 0; ; tries++) {
      const failure = await once(request).then(
        answer => refusalOf(at, request, answer) ?? answer,
        error => new BlobsAway(`${at}: ${reasonOf(error)}`, { cause: error }),
      )
      if (!(failure instanceof Error)) return failure
      const pauseMs = pausesMs[tries]
      request.signal?.throwIfAborted()
      if (failure instanceof S3Refused || pauseMs === undefined) throw failure
      await sleep(pauseMs, undefined, { signal: request.signal })
    }
  }
}

function refusalOf(at: string, { method, object }: S3Request, answer: S3Answer): BlobsAway | undefined {
  const { status, bytes } = answer
  if (status >= 200 && status < 300) return undefined
  const code = /<Code>(\w+)<\/Code>/.exec(bytes.toString('utf8', 0, 2000))?.[1]
  const isAbsent = status === 404 && object && method !== 'PUT' && code !== 'NoSuchBucket'
  if (isAbsent) return undefined
  const said = `${at} answered ${[method, status, code].filter(Boolean).join(' ')}`
  return status >= 500 || status === 429 ? new BlobsAway(said) : new S3Refused(said)
}

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
