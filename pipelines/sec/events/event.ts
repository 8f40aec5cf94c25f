/** Makes the event of one 8-K. If its text cannot be fetched, the summary is made from its items. */
import type { SecEvent } from '../../../schemas/sec-events.ts'
import { filingUrl, type SecFiling } from '../../../schemas/sec-filings.ts'
import { textOf } from './document.ts'
import type { Summarise } from './model.ts'
import { summaryOf, summaryOfItems } from './summary.ts'

export async function eventOf(
  filing: SecFiling,
  name: string,
  document: string | undefined,
  { summarise, signal }: { summarise: Summarise | undefined; signal: AbortSignal },
): Promise<SecEvent> {
  const { cik, accession, form, filed, items } = filing
  const event = { cik, accession, form, filed, items }
  const report = { name, form, items }
  if (document === undefined) return { ...event, summary: summaryOfItems(report), told_by: 'items' }
  const written = await summarise?.(textOf(document), signal)
  if (written !== undefined) return { ...event, summary: written, told_by: 'model' }
  return { ...event, summary: summaryOf(report, document), told_by: 'text' }
}

/** The path of the text of a report. Undefined: it was filed on paper. */
export const documentPath = (filing: SecFiling): string | undefined =>
  filing.primary_document ? new URL(filingUrl(filing)).pathname : undefined
