/** The newest reports of material events, each with its own text and its press release. */
import { isEventForm, secEvents } from '../../../schemas/sec-events.ts'
import { filingFolder } from '../../../schemas/sec-filings.ts'
import type { DocumentsAsked } from '../../../schemas/sec-requests.ts'
import { documentPath, eventOf } from '../../domains/company/events/event.ts'
import { isFurnished } from '../../domains/company/events/items.ts'
import type { Summarise } from '../../domains/company/events/model.ts'
import { releaseIn } from '../../domains/company/events/release.ts'
import { toldApart } from '../../domains/company/events/report-reader.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { type Emitted, emit } from '../source.ts'
import { askEdgar, type EdgarAsking } from './edgar.ts'
import type { Submissions } from './submissions.ts'
import { secWww } from './upstream.ts'

const mostBytes = 32 * 2 ** 20
const mostEvents = 10

type Report = DocumentsAsked['filings'][number]
type Filer = Omit<DocumentsAsked, 'filings'>

/** Only the newest ten reports, filed from `since` on, are worth a fetch. */
export const newestEvents = ({ filings }: Submissions, since: string): Report[] =>
  filings.filter(({ form, filed }) => isEventForm(form) && filed >= since).slice(0, mostEvents)

export async function fetchEvent(
  filer: Filer,
  report: Report,
  outside: Outside,
  { summarise, ...asking }: EdgarAsking & { summarise?: Summarise | undefined },
): Promise<Emitted[]> {
  const read = async (path: string | undefined) =>
    path === undefined
      ? undefined
      : (await askEdgar(outside, secWww, path, { maxBytes: mostBytes, ...asking }))?.text()
  const [document, release] = await Promise.all([read(documentPath(report)), releaseOf(report, read)])
  return [
    emit(
      secEvents,
      await eventOf(report, filer, { document, release }, { summarise, outside, tell: toldApart }),
    ),
  ]
}

/** The text of some items is in the press release, which the index of the filing names. */
async function releaseOf(
  report: Report,
  read: (path: string | undefined) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!report.primary_document || !report.items.some(isFurnished)) return undefined
  const folder = new URL(filingFolder(report)).pathname
  const index = await read(`${folder}/${report.accession}-index.htm`)
  return read(index && releaseIn(index, folder))
}
