/** Checks events and appends them to the log. An event that fails the check of its dataset goes to the rejects. */
import { setImmediate as turn } from 'node:timers/promises'
import { type Dataset, whatIsWrong } from '../../schemas/dataset/dataset.ts'
import { checkEvent } from '../../schemas/dataset/event-check.ts'
import { packed } from '../../schemas/dataset/packed-events.ts'
import { keptOf, rejects } from '../../schemas/rejects.ts'
import { instant } from '../../schemas/values/values.ts'
import { type Entry, entryOf, fits, type Log } from '../rails/log/log.ts'
import { metrics } from '../rails/metrics.ts'
import type { Emitted } from './source.ts'

/** After this number of checks other work of the process has its turn, such as a paid call. */
const checksATurn = 1000
/** The same where events are long. */
const lettersATurn = 64 << 10

export async function append(
  events: readonly Emitted[],
  { log, source, now }: { log: Log; source: string; now: () => number },
): Promise<void> {
  for (const [dataset, emitted] of Map.groupBy(events, ({ dataset }) => dataset)) {
    const good: Entry[] = []
    const together = new Map<string, Record<string, unknown>[]>()
    const bad = []
    let letters = 0
    for (const [n, { event, gone }] of emitted.entries()) {
      if (n % checksATurn === checksATurn - 1 || letters > lettersATurn) {
        letters = 0
        await turn()
      }
      if (gone !== undefined) {
        good.push({ key: gone, value: null })
        continue
      }
      const checked = checkEvent(dataset, event)
      if (!checked.success) {
        bad.push({ event, reason: whatIsWrong(checked.error) })
        continue
      }
      const key = dataset.keyOf(checked.data)
      if (!dataset.packed) {
        const entry = { key, value: JSON.stringify(checked.data) }
        letters += entry.value.length
        if (fits(entry)) good.push(entry)
        else bad.push({ event, reason: 'it is longer than a record may be' })
        continue
      }
      const ofKey = together.get(key)
      if (ofKey) ofKey.push(checked.data)
      else together.set(key, [checked.data])
    }
    for (const [key, events] of together)
      for (const value of packed(dataset, events)) good.push({ key, value })
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
  const row = {
    topic: dataset.topic.name,
    place,
    at: instant(at),
    reason,
    event: keptOf(JSON.stringify(event)),
  }
  return entryOf(rejects, row)
}
