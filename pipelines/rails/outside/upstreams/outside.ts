/** What sources and lookups see of the world: bounded requests to upstreams, and the time. */
import type { Upstream } from './upstream.ts'

export interface Outside {
  now(): number
  /**
   * Rejects with UpstreamFailed on a network failure, a time-out, a reply without `proof`, or a body that is too
   * large.
   */
  get(upstream: Upstream, path: string, request?: UpstreamRequest): Promise<Answer>
  /** Downloads into a file of any size. It continues a download that was interrupted. */
  download(upstream: Upstream, path: string, request: Download): Promise<Validators>
  signal: AbortSignal
}

export interface UpstreamRequest {
  accept?: string
  validators?: Validators | undefined
  maxBytes?: number
  timeoutMs?: number
  /**
   * Whether this is an answer of the upstream. A login page is not one, but a 404 with a reason may be. If absent,
   * every 2xx is one.
   */
  proof?: (answer: Answer) => boolean
  /** A caller waits for this request. It goes before requests that only keep data up to date. */
  urgent?: boolean | undefined
  /** The path holds text of a caller, so no message repeats it. */
  secret?: boolean
  /** Such as a key. They must reach only the upstream, so a redirect is a failure. */
  headers?: Readonly<Record<string, string>>
  /** Is sent as JSON with a POST. If absent, the request is a GET. */
  body?: unknown
}

export interface Answer {
  status: number
  /** The name of the upstream in messages. */
  from: string
  /** 304: nothing has changed since the answer that had these validators. */
  unchanged: boolean
  text(): string
  bytes: Buffer
  header(name: string): string | undefined
  /** Send these with the next poll of the same address to get 304. */
  validators: Validators
}

export interface Validators {
  etag?: string | undefined
  lastModified?: string | undefined
}

export interface Download {
  file: string
  maxBytes: number
  /** Is called as the file grows. `of` is its full size, where the upstream states it. */
  onBytes?: (bytes: number, of: number | undefined) => void
}
