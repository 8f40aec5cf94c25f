/** Makes the event of one 8-K. If its text cannot be fetched, the items give the summary. */
import type { SecEvent } from '../../../../schemas/sec-events.ts'
import { filingUrl, type SecFiling } from '../../../../schemas/sec-filings.ts'
import type { Summarise } from './model.ts'
import { type Documents, type EventTold, toldIn } from './report-facts.ts'
import { type Report, summaryOfItems } from './summary.ts'

type EventReport = Pick<
  SecFiling,
  'cik' | 'accession' | 'form' | 'filed' | 'accepted' | 'items' | 'primary_document'
>

/** Undefined if the documents cannot be read. */
type Tell = (report: Report, documents: Documents) => Promise<EventTold | undefined> | EventTold

interface Reading {
  summarise: Summarise | undefined
  outside: { signal: AbortSignal }
  /** If absent, the documents are read in this process. */
  tell?: Tell
}

export async function eventOf(
  filing: Omit<EventReport, 'primary_document'>,
  { name, industry }: { name: string; industry: string | null },
  documents: Documents,
  { summarise, outside, tell = toldIn }: Reading,
): Promise<SecEvent> {
  const event = { ...eventOfItems(filing, { name, industry }), told_by: 'no text' as const }
  if (documents.document === undefined) return event
  const { form, items } = filing
  const told = await tell({ form, items, name }, documents)
  if (!told) return event
  const { figures } = told
  const written = await summarise?.(told.text, outside.signal)
  if (written !== undefined) return { ...event, figures, summary: written, told_by: 'model' }
  return { ...event, figures, summary: told.summary, told_by: 'text' }
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

/** The path of a report's text. Undefined if it was filed on paper. */
export const documentPath = (filing: EventReport): string | undefined =>
  filing.primary_document ? new URL(filingUrl(filing)).pathname : undefined
