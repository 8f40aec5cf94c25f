/** The newest reports of material events, each with its own text. */
import { isEventForm, secEvents } from '../../../schemas/sec-events.ts'
import type { SecFiling } from '../../../schemas/sec-filings.ts'
import type { Outside } from '../../outside/outside.ts'
import { documentUrl, eventOf } from '../../sec/events/event.ts'
import { type Emitted, emit } from '../source.ts'
import { askEdgar } from './edgar.ts'
import type { Submissions } from './submissions.ts'

const mostBytes = 32 * 2 ** 20
const mostEvents = 10

/** Those worth the fetch: the newest ten, filed from `since` on. */
export const newestEvents = ({ filings }: Submissions, since: string): SecFiling[] =>
  filings.filter(({ form, filed }) => isEventForm(form) && filed >= since).slice(0, mostEvents)

export async function* fetchEvents(
  outside: Outside,
  name: string,
  filings: readonly SecFiling[],
): AsyncGenerator<Emitted[]> {
  for (const filing of filings) {
    const url = documentUrl(outside.at.SEC_WWW_URL, filing)
    const answer = url === undefined ? undefined : await askEdgar(outside, url, { maxBytes: mostBytes })
    yield [emit(secEvents, await eventOf(filing, name, answer?.text(), outside))]
  }
}
