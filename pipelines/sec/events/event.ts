/** One 8-K, fetched and summarised. A report whose text cannot be had is summarised by its items. */
import type { SecEvent } from '../../../schemas/sec-events.ts'
import { filingUrl, type SecFiling } from '../../../schemas/sec-filings.ts'
import { summaryOf, summaryOfItems } from './summary.ts'

/** Writes the summary in place of the rules; undefined: it could not. */
export interface Summariser {
  name: string
  summarise(
    report: { name: string; form: string; text: string },
    signal: AbortSignal,
  ): Promise<string | undefined>
}

export const eventOf = (filing: SecFiling, name: string, document: string | undefined): SecEvent => {
  const { cik, accession, form, filed, items } = filing
  const report = { name, form, items }
  return {
    cik,
    accession,
    form,
    filed,
    items,
    summary: document === undefined ? summaryOfItems(report) : summaryOf(report, document),
    told_by: document === undefined ? 'items' : 'text',
  }
}

/** Where the text of a report lies; undefined: on paper. */
export const documentUrl = (wwwUrl: string, filing: SecFiling): string | undefined =>
  filing.primary_document ? filingUrl(filing).replace('https://www.sec.gov', wwwUrl) : undefined
