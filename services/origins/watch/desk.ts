/** The part of the process that opens subscriptions. */
import { type Desk, desk } from '../../../pipelines/domains/watch/desk.ts'
import { Failure } from '../../offer/errors.ts'
import type { Tools } from '../../offer/operation.ts'

/** Throws the free 503 if this deployment has no key for subscriptions. */
export function deskOf({ use }: Pick<Tools, 'use'>): Desk {
  const opened = use(desk)
  if (opened) return opened
  throw new Failure('not_configured', 'Subscriptions are not offered by this deployment')
}
