/** The part of the process that opens subscriptions. */
import type { Desk } from '../../../pipelines/watching/desk.ts'
import { Failure } from '../../errors.ts'
import type { Tools } from '../../operation.ts'

/** Throws the free 503 where this deployment has no key for them. */
export function deskOf({ watching }: Pick<Tools, 'watching'>): Desk {
  if (watching) return watching
  throw new Failure('not_configured', 'Subscriptions are not offered by this deployment')
}
