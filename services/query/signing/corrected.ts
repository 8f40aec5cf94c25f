/** Takes note of a sale whose fact was corrected, for the rules of the operator. The role ingest decides. */
import { entryOf, type Log } from '../../../pipelines/rails/log/log.ts'
import { salesCorrected } from '../../../schemas/sales-corrected.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Corrected } from './again.ts'

export const recordCorrected =
  (log: Pick<Log, 'append'>, now: () => number): Corrected =>
  sale =>
    log
      .append(salesCorrected.topic, [entryOf(salesCorrected, { ...sale, at: instant(now()) })])
      .then(() => undefined)
