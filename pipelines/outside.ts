/** The world as sources and lookups may see it: bounded requests, the time, and nothing else. */
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
}

export interface Outside {
  now(): number
  /** Rejects with UpstreamFailed on a network failure, a time-out, a status other than 2xx or 304, or a body over the cap. */
  get(url: string, request?: Request): Promise<Answer>
  /** The base addresses of the environment, without a slash at the end. */
  at: Readonly<Record<UpstreamName, string>>
  dataDir: string
  signal: AbortSignal
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
