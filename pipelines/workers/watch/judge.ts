/** Judges every check in the log, and writes the resulting states and events. */
import { endpointChecks } from '../../../schemas/endpoint-checks.ts'
import {
  type EndpointChange,
  type EndpointState,
  endpointChanges,
  endpointStates,
} from '../../../schemas/endpoint-states.ts'
import { type WebhookEvent, webhookEvents } from '../../../schemas/webhooks.ts'
import type { WatchBook } from '../../domains/watch/book.ts'
import { changeEvent } from '../../domains/watch/events.ts'
import { judge } from '../../domains/watch/judge.ts'
import type { Seal } from '../../domains/watch/seal.ts'
import { eventEntries } from '../../domains/watch/sealed.ts'
import { eventsIn } from '../../rails/log/events.ts'
import { entryOf, type Log } from '../../rails/log/log.ts'
import type { Running } from '../../rails/running.ts'

interface JudgingOptions {
  log: Log
  book: WatchBook
  seal: Seal
}

export function startJudging({ log, book, seal }: JudgingOptions): Promise<Running> {
  return log.follow(endpointChecks.topic, 'judge', async batch => {
    const states = new Map<string, EndpointState>()
    const changes: EndpointChange[] = []
    const events: WebhookEvent[] = []
    for (const { event: check } of eventsIn(endpointChecks, batch)) {
      const known = states.get(check.endpoint) ?? book.states.get(check.endpoint)
      const verdict = judge(known, check)
      if (verdict.state === known) continue
      states.set(check.endpoint, verdict.state)
      changes.push(...verdict.changes)
      for (const [nth, change] of verdict.changes.entries())
        for (const row of book.watchersOf(check.endpoint, Date.parse(check.at)))
          events.push(changeEvent(row, change, nth))
    }
    // The states come last. After a crash before them, the same checks bring the same events.
    if (changes.length) {
      await log.append(webhookEvents.topic, eventEntries(events, seal))
      await log.append(
        endpointChanges.topic,
        changes.map(change => entryOf(endpointChanges, change)),
      )
    }
    const rows = [...states.values()]
    if (rows.length)
      await log.append(
        endpointStates.topic,
        rows.map(row => entryOf(endpointStates, row)),
      )
    for (const row of rows) book.remember(row)
  })
}
