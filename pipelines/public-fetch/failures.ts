/** How a visit fails. Messages name the host and never the path or the query: these are data of the caller. */
import { UpstreamFailed } from '../failures.ts'

export type NotPublicReason = 'malformed' | 'scheme' | 'user_info' | 'port' | 'name' | 'address'

/** Nobody goes there for a stranger. The message says why, in words for whoever gave the URL. */
export class NotPublic extends Error {
  override name = 'NotPublic'
  readonly reason: NotPublicReason

  constructor(reason: NotPublicReason, message: string) {
    super(message)
    this.reason = reason
  }
}

export type VisitReason =
  | 'dns'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'not_http'
  | 'broken_body'
  | 'too_large'
  | 'too_many_redirects'
  | 'unexpected_type'

/** The place is public, and what came of the visit is not what was asked for. */
export class VisitFailed extends UpstreamFailed {
  override name = 'VisitFailed'
  readonly reason: VisitReason

  constructor(reason: VisitReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
