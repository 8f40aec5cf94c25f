/** Failures of rendering for our own reasons. A failure for the page's reasons is a NoPage. */
import { NotReady, Unsold } from '../../failures.ts'

/** There is no browser here that could render a page. */
export class NoBrowser extends NotReady {
  override name = 'NoBrowser'
}

/** Too many pages wait. A caller gets a free 503. */
export class Busy extends Error {
  override name = 'Busy'
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Also where an upstream was asked before, so that the call counts as one with nothing to sell. */
export function busyOf(error: unknown): Busy | undefined {
  const why = error instanceof Unsold ? error.cause : error
  return why instanceof Busy ? why : undefined
}
