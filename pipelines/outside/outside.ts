/** The world as sources and lookups may see it: bounded requests, the time, and nothing else. */
import type { SecRequest } from '../../schemas/sec-requests.ts'

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
