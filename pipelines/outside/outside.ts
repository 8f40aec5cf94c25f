/** The world as sources and lookups may see it: bounded requests to upstreams, the time, and nothing else. */
import type { Upstream } from './upstream.ts'

export interface Outside {
  now(): number
  /**
   * Rejects with UpstreamFailed on a network failure, a time-out, what is no answer (`proof`), or a body over the
   * cap.
   */
  get(upstream: Upstream, path: string, request?: Request): Promise<Answer>
  /** Puts what is there into a file, however large, and goes on where an earlier try was cut off. */
  download(upstream: Upstream, path: string, request: Download): Promise<Validators>
  signal: AbortSignal
}

export interface Request {
  accept?: string
  validators?: Validators | undefined
  maxBytes?: number
  timeoutMs?: number
  /** Is this an answer? Absent: every 2xx is. A login page is none, a 404 that says why may be one. */
  proof?: (answer: Answer) => boolean
  /** A caller waits for it: where an upstream has a rate, it goes before what is only kept up to date. */
  urgent?: boolean | undefined
  /** The path holds what a caller typed: no message repeats it. */
  secret?: boolean
}

export interface Answer {
  status: number
  /** What messages call the place it is from. */
  from: string
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

export interface Download {
  file: string
  maxBytes: number
  /** Told as it grows; `of` is its whole size, where the upstream says so. */
  onBytes?: (bytes: number, of: number | undefined) => void
}
