/** How the world fails. The code that asks an upstream throws one of these. The code that runs it decides what follows. */

/** The world failed. The tick is dropped, counted and tried again; a caller gets a free 502. */
export class UpstreamFailed extends Error {
  override name = 'UpstreamFailed'
  /** What a caller is told of it. Its message may name addresses. */
  told?: string
}

/** The upstream cannot be reached. No question is to blame. */
export class UpstreamAway extends UpstreamFailed {}

/** The upstream answered, and it refused. */
export class UpstreamRefused extends UpstreamFailed {
  override name = 'UpstreamRefused'
  readonly status: number
  readonly retryAfter: string | undefined
  /** The beginning of its body. */
  readonly body: string

  constructor(from: string, status: number, retryAfter: string | undefined, body: string) {
    super(`${from} answered ${status}`)
    this.status = status
    this.retryAfter = retryAfter
    this.body = body
  }
}

/** The upstream is up, and what it gives to this question is not sold. A payer chooses the question, so it counts as a refusal does. */
export class Unsold extends UpstreamFailed {
  /** The number of requests to upstreams before it. */
  asks = 0
}

/** The upstream answered with something else, such as the page of a firewall or a login. */
export class AnsweredElse extends UpstreamFailed {
  override name = 'AnsweredElse'
}

/** Something that must be loaded first is not there yet. A caller gets a free 503. */
export class NotReady extends Error {
  override name = 'NotReady'
}

/** The deployment has not set what the answer needs. A caller gets a free 503. */
export class NotConfigured extends Error {
  override name = 'NotConfigured'
}

export function asUpstreamFailed(error: unknown, from: string): UpstreamFailed {
  if (error instanceof UpstreamFailed) return error
  const Failed = isAway(error) ? UpstreamAway : UpstreamFailed
  return new Failed(`${from}: ${reasonOf(error)}`, { cause: error })
}

const away: ReadonlySet<unknown> = new Set(
  'ECONNREFUSED EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN UND_ERR_CONNECT_TIMEOUT'.split(' '),
)

/** Did no connection come about? Then nothing was asked. */
export function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (away.has((at as { code?: unknown }).code)) return true
  return false
}

/** Node's fetch says only "fetch failed". The reason is in its cause, or in the cause of that. */
export function reasonOf(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  return at instanceof Error ? at.message || at.name : String(at)
}
