/** The world as sources and lookups may see it: bounded requests, the time, and nothing else. */
import manifest from '../package.json' with { type: 'json' }
import type { SecRequest } from '../schemas/sec-requests.ts'
import type { Chains } from './chain/chains.ts'
import { download } from './download.ts'

export interface Answer {
  status: number
  /** 304: nothing changed since the validators that were sent. */
  unchanged: boolean
  text(): string
  bytes: Buffer
  header(name: string): string | undefined
  /** Send these with the next poll of the same address to hear 304. */
  validators: Validators
}

export interface Validators {
  etag?: string | undefined
  lastModified?: string | undefined
}

export interface Request {
  accept?: string
  validators?: Validators | undefined
  maxBytes?: number
  timeoutMs?: number
  /** Is this an answer, whatever its status? Absent: every 2xx is. A login page is none, a 404 that says why may be. */
  proof?: (status: number, text: string) => boolean
}

export interface Outside {
  now(): number
  /** Rejects with UpstreamFailed on a network failure, a time-out, what is no answer (`proof`), or a body over the cap. */
  get(url: string, request?: Request): Promise<Answer>
  /** Puts what is there into a file, however large, and goes on where an earlier try was cut off. */
  download(url: string, request: Download): Promise<Validators>
  /** Has the ingest role fetch something now, where this process may not do so itself. */
  ask?(request: Pick<SecRequest, 'cik' | 'what'>): Promise<SecRequest>
  /** Has a language model summarise a text, where the operator named one; undefined: it could not. */
  summarise?: ((text: string, signal: AbortSignal) => Promise<string | undefined>) | undefined
  /** Has the operator see, on the terminal, how something long comes along. */
  tell(line: string): void
  /** The base addresses of the environment, without a slash at the end. */
  at: Readonly<Record<UpstreamName, string>>
  /** Requests a second that an upstream allows this process; one budget for every use of it. */
  rates: Readonly<{ SEC: number }>
  dataDir: string
  /** A database file or folder that the operator gave in place of the fetched one. */
  ipDatabase?: string | undefined
  /** The chains that may be read; absent where none is. */
  chains?: Chains | undefined
  signal: AbortSignal
}

export interface Download {
  file: string
  maxBytes: number
  /** Told as it grows; `of` is its whole size, where the upstream says so. */
  onBytes?: (bytes: number, of: number | undefined) => void
}

export type UpstreamName =
  | 'ECB_URL'
  | 'FAA_URL'
  | 'SEC_DATA_URL'
  | 'SEC_WWW_URL'
  | 'NWS_URL'
  | 'CENSUS_URL'
  | 'CATALOG_URL'

/** The world failed: the tick is dropped, counted and tried again; a caller gets a free 502. */
export class UpstreamFailed extends Error {
  override name = 'UpstreamFailed'
}

/** It answered, and the answer was no. */
export class UpstreamRefused extends UpstreamFailed {
  override name = 'UpstreamRefused'
  readonly status: number
  readonly retryAfter: string | undefined
  /** How its body begins. */
  readonly body: string

  constructor(url: string, status: number, retryAfter: string | undefined, body: string) {
    super(`${url} answered ${status}`)
    this.status = status
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** What must be loaded first is not there yet; a caller gets a free 503. */
export class NotReady extends Error {
  override name = 'NotReady'
}

export interface OutsideOptions {
  at: Outside['at']
  contact: string
  rates?: Outside['rates']
  tell?: (line: string) => void
  summarise?: Outside['summarise']
  dataDir: string
  ipDatabase?: string | undefined
  now: () => number
}

/** Upstreams are told the release, not each repair of it. */
const release = manifest.version.replace(/\.\d+$/, '')
const timeoutMs = 20_000
const maxBytes = 16 * 2 ** 20

/** The real world, seen under one signal: that of the tick or the question it is asked for. */
export function createOutside(options: OutsideOptions): (signal: AbortSignal) => Outside {
  const userAgent = `Farebox/${release} (+${options.contact})`
  const { rates = { SEC: 8 }, tell = () => {} } = options
  return signal => ({
    ...options,
    rates,
    tell,
    signal,
    get: (url, request = {}) => get(url, request, userAgent, signal),
    download: (url, request) => download(url, request, userAgent, signal),
  })
}

async function get(url: string, request: Request, userAgent: string, signal: AbortSignal): Promise<Answer> {
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

/** Node's fetch says only "fetch failed"; what happened is one or two causes below. */
export function reasonOf(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  return at instanceof Error ? at.message || at.name : String(at)
}
