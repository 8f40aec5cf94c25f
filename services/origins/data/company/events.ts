/** The first reading for due diligence: the key filings, and the events of the last year. */

import { eventOfItems } from '../../../../pipelines/domains/company/events/event.ts'
import { eventTextsLookup } from '../../../../pipelines/lookups/company.ts'
import { NotReady, UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { secWww } from '../../../../pipelines/sources/sec/upstream.ts'
import type { SecCompany } from '../../../../schemas/sec-companies.ts'
import { companyEvents, eventForms } from '../../../../schemas/sec-events.ts'
import { companyFilings, filingUrl, type SecFiling } from '../../../../schemas/sec-filings.ts'
import { instant } from '../../../../schemas/values/values.ts'
import type { Tools } from '../../../offer/operation.ts'
import { byForm, documentOf, filingAnswer, ofForms } from './filings.ts'

const yearMs = 365 * 86_400_000
const mostEvents = 10

/**
 * Finds filings of the last twelve months, newest first. The newest thousand filings of a heavy filer may not reach so far back.
 */
async function ofLastYear(
  { cik, filing_count }: SecCompany,
  forms: readonly string[],
  tools: Tools,
): Promise<SecFiling[]> {
  const recent = await tools.lookAll(companyFilings, cik)
  const since = instant(tools.now() - yearMs).slice(0, 10)
  const reaches = recent.length >= filing_count || (recent.at(-1)?.filed ?? '') < since
  const found = reaches ? recent.filter(({ form }) => forms.includes(form)) : await byForm(cik, forms, tools)
  return found.filter(({ filed }) => filed >= since)
}

/**
 * Describes each report by its own text. Texts that are not loaded are read now. A report whose text does not come in time is
 * described by its items, and marked so.
 */
export async function materialEvents(company: SecCompany, tools: Tools) {
  const { cik, name, industry } = company
  const reports = (await ofLastYear(company, eventForms, tools)).slice(0, mostEvents)
  if (!reports.length) return []
  const unread = await withoutText(cik, reports, tools)
  if (unread.length)
    await arriving(tools.find(eventTextsLookup, { cik, documents: { name, industry, filings: unread } }))
  const told = new Map((await tools.lookAll(companyEvents, cik)).map(event => [event.accession, event]))
  const late = reports.filter(({ accession }) => (told.get(accession)?.told_by ?? 'items') === 'items').length
  if (2 * late > reports.length)
    throw new NotReady(
      tools.isSample(secWww)
        ? `The bundled samples lack ${late} of the ${reports.length} reports of the last year`
        : `${late} of ${reports.length} reports of the last year could not be read in time; they are being read, so ask again`,
    )
  return reports.map(filing => {
    const { summary, told_by, figures } = told.get(filing.accession) ?? eventOfItems(filing, company)
    return {
      form: filing.form,
      filed: filing.filed,
      url: filingUrl(filing),
      summary,
      ...(figures.length ? { figures } : {}),
      ...(told_by === 'items' ? { note: notInTime } : {}),
    }
  })
}

const notInTime = 'The text of this report did not arrive in time: the summary is made from its items alone.'

async function withoutText(cik: number, reports: readonly SecFiling[], tools: Tools) {
  const events = await tools.lookAll(companyEvents, cik)
  const read = new Set(events.flatMap(({ accession, told_by }) => (told_by === 'items' ? [] : accession)))
  return reports.filter(({ accession }) => !read.has(accession)).map(documentOf)
}

/** Waits for the texts. An answer may be worth its price without a few that fail or are late. */
export async function arriving(texts: Promise<unknown>): Promise<void> {
  try {
    await texts
  } catch (error) {
    if (!(error instanceof UpstreamFailed)) throw error
  }
}

interface Kind {
  forms: readonly string[]
  title: string
  /** The words in front of the report date, for kinds whose date matters. */
  dated?: string
  /** A filing that is older than a year says nothing about today. */
  lastYearOnly?: boolean
}

const annual: Kind = {
  forms: ['10-K', '20-F', '40-F'],
  title: 'Annual report',
  dated: 'for the period ended',
}
const others: readonly Kind[] = [
  { forms: ['10-Q'], title: 'Quarterly report', dated: 'for the period ended' },
  { forms: ['6-K'], title: 'Report of a foreign issuer' },
  { forms: ['DEF 14A'], title: 'Proxy statement', dated: 'for the meeting of' },
  {
    forms: ['S-1', 'S-3', 'S-3ASR', 'F-1', 'F-3', '424B1', '424B2', '424B3', '424B4', '424B5', '424B7'],
    title: 'Offering of securities',
    lastYearOnly: true,
  },
  { forms: ['NT 10-K', 'NT 10-Q', 'NT 20-F'], title: 'Notice of a late report', lastYearOnly: true },
]

/** Finds the newest of each kind. A heavy filer may have it beyond the newest thousand filings. */
export async function keyFilings(company: SecCompany, tools: Tools) {
  const recent = await tools.lookAll(companyFilings, company.cik)
  const newest = ({ forms }: Kind) => recent.find(({ form }) => forms.includes(form))
  const beyond = recent.length < company.filing_count
  const report = newest(annual) ?? (beyond ? (await ofForms(company, annual.forms, 1, tools))[0] : undefined)
  const rest = await Promise.all(
    others.map(async kind => {
      // Not every filer has every kind, so nothing is fetched for the rest.
      const filing = kind.lastYearOnly
        ? (await ofLastYear(company, kind.forms, tools))[0]
        : (newest(kind) ?? (beyond ? (await byForm(company.cik, kind.forms, tools))[0] : undefined))
      return filing && keyFiling(kind, filing)
    }),
  )
  return [report && keyFiling(annual, report), ...rest].filter(filing => filing !== undefined)
}

const keyFiling = ({ title, dated }: Kind, filing: SecFiling) => ({
  ...filingAnswer(filing),
  title: `${title} (${filing.form})${dated && filing.report_date ? ` ${dated} ${filing.report_date}` : ''}`,
})
