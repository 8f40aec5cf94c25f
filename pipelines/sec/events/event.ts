/** Makes the event of one 8-K. If its text cannot be fetched, the summary is made from its items. */
import type { SecEvent } from '../../../schemas/sec-events.ts'
import { filingUrl, type SecFiling } from '../../../schemas/sec-filings.ts'
import { textOf } from './document.ts'
import { figuresIn } from './figures.ts'
import type { Summarise } from './model.ts'
import { summaryOf, summaryOfItems } from './summary.ts'

export type EventReport = Pick<
  SecFiling,
  'cik' | 'accession' | 'form' | 'filed' | 'accepted' | 'items' | 'primary_document'
>

export interface Documents {
  document: string | undefined
  /** The press release that came with it. */
  release: string | undefined
}

export async function eventOf(
  filing: Omit<EventReport, 'primary_document'>,
  { name, industry }: { name: string; industry: string | null },
  { document, release }: Documents,
  { summarise, outside }: { summarise: Summarise | undefined; outside: { signal: AbortSignal } },
): Promise<SecEvent> {
  const event = { ...eventOfItems(filing, { name, industry }), told_by: 'no text' as const }
  if (document === undefined) return event
  const [text, news] = [textOf(document), release === undefined ? '' : textOf(release)]
  const figures = figuresIn(news)
  const written = await summarise?.(`${text}\n${news}`, outside.signal)
  if (written !== undefined) return { ...event, figures, summary: written, told_by: 'model' }
  const summary = summaryOf({ ...filing, name }, { text, news, figures })
  return { ...event, figures, summary, told_by: 'text' }
}

export function eventOfItems(
  { cik, accession, form, filed, accepted, items }: Omit<EventReport, 'primary_document'>,
  { name, industry }: { name: string; industry: string | null },
): SecEvent {
  const summary = summaryOfItems({ name, form, items })
  return {
    cik,
    accession,
    form,
    filed,
    accepted,
    items,
    summary,
    told_by: 'items',
    name,
    industry,
    figures: [],
  }
}

/** The path of the text of a report. Undefined: it was filed on paper. */
export const documentPath = (filing: EventReport): string | undefined =>
  filing.primary_document ? new URL(filingUrl(filing)).pathname : undefined
