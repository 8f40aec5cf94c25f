/** How the world fails. Whoever asks it throws one of these; whoever runs the asking decides what follows. */

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

  constructor(from: string, status: number, retryAfter: string | undefined, body: string) {
    super(`${from} answered ${status}`)
    this.status = status
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** What must be loaded first is not there yet; a caller gets a free 503. */
export class NotReady extends Error {
  override name = 'NotReady'
}

export const asUpstreamFailed = (error: unknown, from: string): UpstreamFailed =>
  error instanceof UpstreamFailed
    ? error
    : new UpstreamFailed(`${from}: ${reasonOf(error)}`, { cause: error })

/** Node's fetch says only "fetch failed"; what happened is one or two causes below. */
export function reasonOf(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  return at instanceof Error ? at.message || at.name : String(at)
}
