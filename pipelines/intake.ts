/** Checks events and appends them to the log. An event that fails the check of its dataset goes to the rejects. */
import { type Dataset, whatIsWrong } from '../schemas/dataset.ts'
import { checkEvent } from '../schemas/event-check.ts'
import { rejects } from '../schemas/rejects.ts'
import { instant } from '../schemas/values.ts'
import type { Entry, Log } from './log/log.ts'
import { metrics } from './metrics.ts'
import type { Emitted } from './sources/source.ts'

export async function append(
  events: readonly Emitted[],
  { log, source, now }: { log: Log; source: string; now: () => number },
): Promise<void> {
  for (const [dataset, emitted] of Map.groupBy(events, ({ dataset }) => dataset)) {
    const good: Entry[] = []
    const bad = []
    for (const { event, gone } of emitted) {
      if (gone !== undefined) {
        good.push({ key: gone, value: null })
        continue
      }
      const checked = checkEvent(dataset, event)
      if (checked.success)
        good.push({ key: dataset.keyOf(checked.data), value: JSON.stringify(checked.data) })
      else bad.push({ event, reason: whatIsWrong(checked.error) })
    }
    await log.append(dataset.topic, good)
    if (!bad.length) continue
    metrics.sinkRejects.inc({ topic: dataset.topic.name }, bad.length)
    await log.append(
      rejects.topic,
      bad.map((one, i) => reject(dataset, one, `${source}:${now()}/${i}`, now())),
    )
  }
}

function reject(
  dataset: Dataset,
  { event, reason }: { event: unknown; reason: string },
  place: string,
  at: number,
) {
  const row = { topic: dataset.topic.name, place, at: instant(at), reason, event: JSON.stringify(event) }
  return { key: rejects.keyOf(row), value: JSON.stringify(row) }
}
