/** The part of the process that opens subscriptions. */
import type { Desk } from '../../../pipelines/domains/watch/desk.ts'
import { Failure } from '../../offer/errors.ts'
import type { Tools } from '../../offer/operation.ts'

/** Throws the free 503 where this deployment has no key for them. */
export function deskOf({ watching }: Pick<Tools, 'watching'>): Desk {
  if (watching) return watching
  throw new Failure('not_configured', 'Subscriptions are not offered by this deployment')
}
