/** Asks the upstream of an operation, bounded in time and bytes. What it says of itself stands in no message: it may hold a secret. */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import manifest from '../../package.json' with { type: 'json' }
import { isAway, UpstreamAway, UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { calls } from '../../pipelines/rails/outside/calls.ts'
import {
  type Exchanged,
  exchange,
  headerOf,
  type Pools,
} from '../../pipelines/rails/outside/fetching/exchange.ts'
import type { BuiltRequest } from './request.ts'

export interface UpstreamReply {
  status: number
  type: string
  bytes: Buffer
}

interface UpstreamBounds {
  /** The name of the operation in messages. */
  name: string
  mostBytes: number
  /** The addresses that it may redirect to. */
  follow: readonly string[]
  connections: Pools
  signal: AbortSignal
}

const mostRedirects = 3
const partial = 206
const redirects = [301, 302, 303, 307, 308]

/** The upstream is up, and what it gives to this question is not sold. */
interface NotSold {
  unsold: string
}

/**
 * A reply of 2xx; the status of one that is about this question: 4xx, and 500, which programs give where a question breaks them; or why
 * it is not sold. It throws only where the upstream itself fails, which shuts it for a while when it goes on: one payer's question must
 * not do that to others.
 */
export async function reply(request: BuiltRequest, bounds: UpstreamBounds): Promise<UpstreamReply | NotSold> {
  const { name, mostBytes } = bounds
  const tooMuch = { unsold: `sent more than ${mostBytes} bytes` }
  let { url, headers } = request
  for (let hops = 0; ; hops++) {
    const sent = await exchanged({ ...request, url, headers }, bounds)
    if (!sent) return tooMuch
    const { status } = sent
    if (redirects.includes(status)) {
      const next = nextOf(headerOf(sent, 'location'), url, bounds)
      // No secret goes with it, and nothing is posted twice.
      if (!next || hops >= mostRedirects || request.method !== 'GET')
        return { unsold: 'a redirect that the file does not name' }
      ;[url, headers] = [next, {}]
      continue
    }
    if (status >= 400 && status <= 500) return { status, type: '', bytes: Buffer.alloc(0) }
    if (!isGood(status)) throw new UpstreamFailed(`${name}: answered ${status}`)
    // Nobody asked for a part. What is left out of it, nobody can see.
    if (status === partial) return { unsold: 'sent a part of its answer' }
    const bytes = await unpacked(sent, mostBytes)
    if (bytes === 'too long') return tooMuch
    if (!bytes) return { unsold: 'packed its answer in a way that cannot be read' }
    if (bytes.length === 0) return { unsold: 'sent nothing' }
    return { status, type: headerOf(sent, 'content-type') ?? '', bytes }
  }
}

const isGood = (status: number): boolean => status >= 200 && status < 300

/** Undefined: there are more bytes than the file allows. */
async function exchanged(
  { url, method, headers, body }: BuiltRequest,
  { name, mostBytes, connections, signal }: UpstreamBounds,
): Promise<Exchanged | undefined> {
  const request = {
    ...{ origin: url.origin, path: url.pathname + url.search, method, body: body ?? null },
    headers: {
      'user-agent': `Farebox/${manifest.version}`,
      accept: '*/*',
      'accept-encoding': 'gzip, br',
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  }
  calls.count(url.host)
  try {
    const wants = (status: number) => isGood(status) && status !== partial
    return await exchange(connections, request, { mostBytes, signal, wants })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const { code = 'no answer' } = error as { code?: string }
    if (code === 'TOO_LONG') return undefined
    // The message of the error may repeat what was sent.
    const Failed = isAway(error) ? UpstreamAway : UpstreamFailed
    throw new Failed(`${name}: cannot be reached (${code})`)
  }
}

const unpackers = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
])

/** Undefined: nobody can read it. */
async function unpacked(sent: Exchanged, mostBytes: number): Promise<Buffer | 'too long' | undefined> {
  const { bytes } = sent
  const packing = headerOf(sent, 'content-encoding')?.trim().toLowerCase() ?? ''
  if (packing === '' || packing === 'identity') return bytes
  try {
    return await unpackers.get(packing)?.(bytes, { maxOutputLength: mostBytes })
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too long' : undefined
  }
}

function nextOf(location: string | undefined, from: URL, { follow }: UpstreamBounds): URL | undefined {
  if (location === undefined || !URL.canParse(location, from)) return undefined
  const next = new URL(location, from)
  return follow.includes(next.origin) && !next.username && !next.password ? next : undefined
}
