/** How rendering fails for reasons of our own. How it fails for reasons of the page is a NoPage. */
import { NotReady } from '../../failures.ts'

/** There is no browser that could render a page here. */
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
