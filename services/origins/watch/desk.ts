/** The part of the process that opens subscriptions. */
import type { Desk } from '../../../pipelines/watching/desk.ts'
import type { Part } from '../../operation.ts'

export const watchDesk: Part<Desk> = {
  name: 'watch desk',
  missing: 'Subscriptions are not offered by this deployment',
}
