/**
 * Puts aside the records that a reader cannot read. The reader does not wait for that, because such a record must
 * stop nobody.
 */
import { rejects } from '../../../schemas/rejects.ts'
import { instant } from '../../../schemas/values/values.ts'
import { metrics } from '../metrics.ts'
import { entryOf, type Log, type Received } from './log.ts'

interface RejectingOptions {
  log: Pick<Log, 'append'>
  now: () => number
  onError(error: unknown): void
}

export type Reject = (
  record: Pick<Received, 'topic' | 'partition' | 'offset'>,
  reason: string,
  text: string,
) => void

const keptCharacters = 100_000
/** The number of rejections that may be on their way to the log at once. Further ones are only counted. */
const mostUnderWay = 100

export function rejecting({ log, now, onError }: RejectingOptions): Reject {
  let underWay = 0
  return ({ topic, partition, offset }, reason, text) => {
    metrics.sinkRejects.inc({ topic })
    const place = `${partition}/${offset}`
    onError(new Error(`${topic}: the record ${place} cannot be read: ${reason}`))
    if (underWay >= mostUnderWay) return
    underWay++
    const event = { topic, place, at: instant(now()), reason, event: text.slice(0, keptCharacters) }
    log
      .append(rejects.topic, [entryOf(rejects, event)])
      .catch(onError)
      .finally(() => underWay--)
  }
}
