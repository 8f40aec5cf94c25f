/** An invented company: its events, and questions about it, asked as the server asks them. */

import { financialsOf } from '../../../../../pipelines/domains/company/financials.ts'
import {
  asOfLookup,
  companyLookup,
  eventTextsLookup,
  insiderFormsLookup,
  olderFilingsLookup,
} from '../../../../../pipelines/lookups/company.ts'
import { listingLookup } from '../../../../../pipelines/lookups/listing.ts'
import { type SecCompany, secCompanies } from '../../../../../schemas/sec-companies.ts'
import { type SecFiling, secFilings } from '../../../../../schemas/sec-filings.ts'
import { secFinancials } from '../../../../../schemas/sec-financials.ts'
import type { DocumentsAsked } from '../../../../../schemas/sec-requests.ts'
import { type SecTicker, secTickers } from '../../../../../schemas/sec-tickers.ts'
import type { Tools } from '../../../../../services/offer/operation.ts'
import { Shelf } from '../../../../../services/query/shelf.ts'
import { factsIn } from '../../../../pipelines/domains/company/companyfacts.ts'
import { polled, stock } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'

export const now = () => Date.parse('2025-06-30T12:00:00Z')
export const cik = 9000003

export const company = (changed: Partial<SecCompany> = {}): SecCompany => ({
  cik,
  name: 'Example Devices Inc.',
  tickers: ['EXD', 'EXD-PA'],
  exchanges: ['Nasdaq'],
  entity_type: 'operating',
  sic: '3571',
  industry: 'Electronic Computers',
  category: 'Large accelerated filer',
  state_of_incorporation: 'DE',
  fiscal_year_end: '12-31',
  business_address: '1 Example Way, Springfield, DE 19700',
  former_names: [],
  filing_count: 3,
  read_at: '2025-06-30T00:00:00.000Z',
  ...changed,
})

export const filing = (form: string, filed: string, changed: Partial<SecFiling> = {}): SecFiling => ({
  cik,
  accession: `0009000003-${filed.slice(2, 4)}-${filed.slice(5).replace('-', '')}${form.length.toString().padStart(2, '0')}`,
  form,
  filed,
  accepted: `${filed}T21:00:00.000Z`,
  report_date: null,
  items: [],
  primary_document: 'document.htm',
  primary_doc_description: '',
  size: 1000,
  is_xbrl: /^10-/.test(form),
  ...changed,
})

export const ofFacts = (body = 'restated-and-split', of = cik) =>
  financialsOf(
    of,
    factsIn(new URL(`../../../../recorded/sec-answers/${body}.json`, import.meta.url)),
    '2025-06-30',
  )

/** The list of tickers in memory. */
export function shelfOf(listed: Record<string, number | null>): Shelf {
  const shelf = new Shelf(now)
  polled(shelf, 'sec_tickers', now())
  polled(shelf, 'sec_current', now())
  stock(
    shelf,
    secTickers,
    Object.entries(listed).map(([ticker, of]) => ({
      ticker,
      day: '2025-06-01',
      cik: of,
      name: ticker,
      exchange: null,
    })),
  )
  return shelf
}

/** The answers of EDGAR, and the facts that a fetch then loads. */
export interface Edgar {
  listing?: SecTicker[]
  company?: (loaded: Loaded) => boolean
  olderFilings?: (loaded: Loaded) => boolean
  asOf?: (loaded: Loaded, day: string) => void
  /** Rejects if not all documents come in time. */
  documents?: (loaded: Loaded, documents: DocumentsAsked) => Promise<void>
}

export function asking(
  loaded: Loaded,
  edgar: Edgar = {},
  listed: Record<string, number | null> = { EXD: cik, 'EXD-PA': cik },
) {
  const fetched: string[] = []
  const find: Tools['find'] = async (lookup, key) => {
    fetched.push(lookup.name)
    if ([eventTextsLookup, insiderFormsLookup].includes(lookup as never)) {
      await edgar.documents?.(loaded, (key as { documents: DocumentsAsked }).documents)
      return undefined
    }
    if ((lookup as unknown) === asOfLookup) {
      edgar.asOf?.(loaded, (key as { as_of: string }).as_of)
      return undefined
    }
    if ((lookup as unknown) === listingLookup) return edgar.listing as never
    const load =
      (lookup as unknown) === companyLookup
        ? edgar.company
        : (lookup as unknown) === olderFilingsLookup
          ? edgar.olderFilings
          : undefined
    return (load?.(loaded) ? {} : undefined) as never
  }
  return { shelf: shelfOf(listed), now, find, looked: loaded, fetched }
}

export const loadedCompany = (
  filings: readonly SecFiling[] = [filing('10-K', '2025-02-20')],
  described: Partial<SecCompany> = {},
): Loaded =>
  new Loaded()
    .put(secCompanies, [company({ filing_count: filings.length, ...described })])
    .put(secFilings, filings)
    .put(secFinancials, [ofFacts()])
