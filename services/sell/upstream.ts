/** Asks the upstream of an operation, bounded in time and bytes. What it says of itself stands in no message: it may hold a secret. */
import manifest from '../../package.json' with { type: 'json' }
import { isAway, UpstreamAway, UpstreamFailed } from '../../pipelines/rails/failures.ts'
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
  const { name, signal } = bounds
  let { url, headers } = request
  for (let hops = 0; ; hops++) {
    const response = await sent({ ...request, url, headers }, bounds)
    const { status } = response
    if (redirects.includes(status)) {
      await response.body?.cancel()
      const next = nextOf(response, url, bounds)
      // No secret goes with it, and nothing is posted twice.
      if (!next || hops >= mostRedirects || request.method !== 'GET')
        return { unsold: 'a redirect that the file does not name' }
      ;[url, headers] = [next, {}]
      continue
    }
    if (status >= 400 && status <= 500) {
      await response.body?.cancel()
      return { status, type: '', bytes: Buffer.alloc(0) }
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new UpstreamFailed(`${name}: answered ${status}`)
    }
    // Nobody asked for a part. What is left out of it, nobody can see.
    if (status === partial) {
      await response.body?.cancel()
      return { unsold: 'sent a part of its answer' }
    }
    const bytes = await read(response, bounds)
    if (signal.aborted) throw signal.reason
    if (!bytes) return { unsold: `sent more than ${bounds.mostBytes} bytes` }
    if (bytes.length === 0) return { unsold: 'sent nothing' }
    return { status, type: response.headers.get('content-type') ?? '', bytes }
  }
}

async function sent(
  { url, method, headers, body }: BuiltRequest,
  { name, signal }: UpstreamBounds,
): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        'user-agent': `Farebox/${manifest.version}`,
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
  } catch (error) {
    throw failed(name, error, signal)
  }
}

/** Undefined: there are more bytes than the file allows. */
async function read(
  response: Response,
  { name, mostBytes, signal }: UpstreamBounds,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of response.body ?? []) {
      size += part.length
      if (size > mostBytes) break
      parts.push(part)
    }
  } catch (error) {
    throw failed(name, error, signal)
  }
  return size > mostBytes ? undefined : Buffer.concat(parts)
}

function nextOf({ headers }: Response, from: URL, { follow }: UpstreamBounds): URL | undefined {
  const location = headers.get('location')
  if (location === null || !URL.canParse(location, from)) return undefined
  const next = new URL(location, from)
  return follow.includes(next.origin) && !next.username && !next.password ? next : undefined
}

/** The code of a failure, such as ECONNREFUSED. Its message may repeat what was sent. */
function failed(name: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  let at = error as { code?: string; cause?: unknown }
  while (at.cause instanceof Error) at = at.cause as typeof at
  const Failed = isAway(error) ? UpstreamAway : UpstreamFailed
  return new Failed(`${name}: cannot be reached (${at.code ?? 'no answer'})`)
}
