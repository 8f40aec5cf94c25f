/** Makes one request and reads its answer, bounded in time and size. */
import { AnsweredElse, asUpstreamFailed, UpstreamFailed } from '../../failures.ts'
import type { Answer, UpstreamRequest } from './outside.ts'
import { refusalOf } from './refusal.ts'

/** The URL of an upstream, and the name of the asker. */
export interface UpstreamPlace {
  url: string
  /** The name of the upstream in messages. */
  from: string
  userAgent: string
  signal: AbortSignal
}

/** What is read in one go must hold up nobody: a request that needs more says so. */
const usual = { timeoutMs: 20_000, maxBytes: 4 * 2 ** 20 }

export async function get(
  { url, from, userAgent, signal }: UpstreamPlace,
  request: UpstreamRequest,
): Promise<Answer> {
  const {
    accept = '*/*',
    validators,
    proof,
    timeoutMs = usual.timeoutMs,
    maxBytes = usual.maxBytes,
  } = request
  const headers: Record<string, string> = { 'user-agent': userAgent, accept, ...request.headers }
  if (validators?.etag) headers['if-none-match'] = validators.etag
  if (validators?.lastModified) headers['if-modified-since'] = validators.lastModified
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const response = await fetch(url, {
      headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      signal: within,
      ...(request.headers ? { redirect: 'error' } : {}),
      ...(request.body === undefined ? {} : { method: 'POST', body: JSON.stringify(request.body) }),
    })
    const unchanged = response.status === 304
    if (!response.ok && !unchanged && !proof) throw await refusalOf(response, from)
    const answer = answerOf(response, await readCapped(response, maxBytes, from), from, validators)
    if (unchanged || !proof || proof(answer)) return answer
    if (!response.ok) throw await refusalOf(response, from, answer.text())
    throw new AnsweredElse(`${from} answered ${response.status} to a request for something else`)
  } catch (error) {
    throw asUpstreamFailed(error, from)
  }
}

function answerOf(
  { status, headers }: Response,
  bytes: Buffer,
  from: string,
  sent: UpstreamRequest['validators'],
): Answer {
  const header = (name: string) => headers.get(name) ?? undefined
  const unchanged = status === 304
  return {
    status,
    from,
    unchanged,
    bytes,
    text: () => bytes.toString('utf8'),
    header,
    validators: {
      etag: header('etag') ?? (unchanged ? sent?.etag : undefined),
      lastModified: header('last-modified') ?? (unchanged ? sent?.lastModified : undefined),
    },
  }
}

async function readCapped(response: Response, most: number, from: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > most) throw new UpstreamFailed(`${from} sent more than ${most} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
