/** Fetches the newest reports of material events, each with its text. */
import { isEventForm, secEvents } from '../../../schemas/sec-events.ts'
import type { SecFiling } from '../../../schemas/sec-filings.ts'
import type { Outside } from '../../outside/outside.ts'
import { documentPath, eventOf } from '../../sec/events/event.ts'
import type { Summarise } from '../../sec/events/model.ts'
import { type Emitted, emit } from '../source.ts'
import { askEdgar } from './edgar.ts'
import type { Submissions } from './submissions.ts'
import { secWww } from './upstream.ts'

const mostBytes = 32 * 2 ** 20
const mostEvents = 10

/** Only the newest ten, filed from `since` on, are worth a fetch. */
export const newestEvents = ({ filings }: Submissions, since: string): SecFiling[] =>
  filings.filter(({ form, filed }) => isEventForm(form) && filed >= since).slice(0, mostEvents)

export async function* fetchEvents(
  { name, filings }: { name: string; filings: readonly SecFiling[] },
  outside: Outside,
  summarise: Summarise | undefined,
): AsyncGenerator<Emitted[]> {
  for (const filing of filings) {
    const path = documentPath(filing)
    const answer = path && (await askEdgar(outside, secWww, path, { maxBytes: mostBytes }))
    const text = answer ? answer.text() : undefined
    yield [emit(secEvents, await eventOf(filing, name, text, { summarise, signal: outside.signal }))]
  }
}
