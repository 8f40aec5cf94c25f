/** One request and its answer, bounded in time and size. */
import { reasonOf, UpstreamFailed } from '../failures.ts'
import type { Answer, Request } from './outside.ts'

const timeoutMs = 20_000
const maxBytes = 16 * 2 ** 20

export async function get(
  url: string,
  request: Request,
  userAgent: string,
  signal: AbortSignal,
): Promise<Answer> {
  const { accept = '*/*', validators } = request
  const headers: Record<string, string> = { 'user-agent': userAgent, accept }
  if (validators?.etag) headers['if-none-match'] = validators.etag
  if (validators?.lastModified) headers['if-modified-since'] = validators.lastModified
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs ?? timeoutMs)])
    const response = await fetch(url, { headers, signal: within })
    const unchanged = response.status === 304
    if (!response.ok && !unchanged && !request.proof) {
      await response.body?.cancel()
      throw new UpstreamFailed(`${url} answered ${response.status}`)
    }
    const bytes = await readCapped(response, request.maxBytes ?? maxBytes, url)
    if (!unchanged && request.proof?.(response.status, bytes.toString('utf8')) === false)
      throw new UpstreamFailed(`${url} answered ${response.status} with something else than was asked for`)
    return {
      status: response.status,
      unchanged,
      bytes,
      text: () => bytes.toString('utf8'),
      header: name => response.headers.get(name) ?? undefined,
      validators: {
        etag: response.headers.get('etag') ?? (unchanged ? validators?.etag : undefined),
        lastModified:
          response.headers.get('last-modified') ?? (unchanged ? validators?.lastModified : undefined),
      },
    }
  } catch (error) {
    if (error instanceof UpstreamFailed) throw error
    throw new UpstreamFailed(`${url}: ${reasonOf(error)}`, { cause: error })
  }
}

async function readCapped(response: Response, most: number, url: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > most) throw new UpstreamFailed(`${url} sent more than ${most} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
