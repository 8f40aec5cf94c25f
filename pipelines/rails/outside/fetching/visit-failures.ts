/** How a visit fails. Messages name the host, but never the path or the query, because those are data of the caller. */
import { UpstreamFailed } from '../../failures.ts'

type NotPublicReason = 'malformed' | 'scheme' | 'user_info' | 'port' | 'name' | 'address'

/** We do not visit this URL for a caller. The message tells the caller why. */
export class NotPublic extends Error {
  override name = 'NotPublic'
  readonly reason: NotPublicReason

  constructor(reason: NotPublicReason, message: string) {
    super(message)
    this.reason = reason
  }
}

type VisitReason =
  | 'dns'
  | 'connection'
  | 'tls'
  | 'timeout'
  | 'not_http'
  | 'broken_body'
  | 'too_large'
  | 'too_many_redirects'
  | 'unexpected_type'
  | 'crowded'

/** The URL is public, but the visit failed. */
export class VisitFailed extends UpstreamFailed {
  override name = 'VisitFailed'
  readonly reason: VisitReason

  constructor(reason: VisitReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
