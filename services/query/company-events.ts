/** What a buyer of due diligence reads first: the filings that count, and what was told in the last year. */
import { summaryOfItems } from '../../pipelines/sec/events/summary.ts'
import type { SecCompany } from '../../schemas/sec-companies.ts'
import { companyEvents, isEventForm } from '../../schemas/sec-events.ts'
import { companyFilings, filingUrl, type SecFiling } from '../../schemas/sec-filings.ts'
import { instant } from '../../schemas/values.ts'
import { byForm, ofForms, told } from './filings.ts'
import type { Tools } from './operation.ts'

const yearMs = 365 * 86_400_000
const mostEvents = 10
const yearAgo = (now: number): string => instant(now - yearMs).slice(0, 10)

/** A summary of the text where there is one yet; of the items until then. */
export async function materialEvents({ cik, name }: SecCompany, tools: Tools) {
  const since = yearAgo(tools.now())
  const reports = (await tools.lookAll(companyFilings, cik))
    .filter(({ form, filed }) => isEventForm(form) && filed >= since)
    .slice(0, mostEvents)
  const summarised = reports.length ? await tools.lookAll(companyEvents, cik) : []
  const summaries = new Map(summarised.map(({ accession, summary }) => [accession, summary]))
  return reports.map(filing => ({
    form: filing.form,
    filed: filing.filed,
    url: filingUrl(filing),
    summary:
      summaries.get(filing.accession) ?? summaryOfItems({ name, form: filing.form, items: filing.items }),
  }))
}

interface Kind {
  forms: readonly string[]
  title: string
  /** What its report date is, where that is worth a word. */
  dated?: string
  /** Older ones no longer tell anything. */
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

/** The newest of each kind. Heavy filers have theirs beyond the newest thousand filings. */
export async function keyFilings(company: SecCompany, tools: Tools) {
  const recent = await tools.lookAll(companyFilings, company.cik)
  const beyond = recent.length < company.filing_count
  const since = yearAgo(tools.now())
  const newest = ({ forms }: Kind) => recent.find(({ form }) => forms.includes(form))
  const report = newest(annual) ?? (beyond ? (await ofForms(company, annual.forms, 1, tools))[0] : undefined)
  const rest = await Promise.all(
    others.map(async kind => {
      const filing = newest(kind)
      if (kind.lastYearOnly) return filing && filing.filed >= since ? entry(kind, filing) : undefined
      // Not every filer has every kind: only what is loaded is looked through for the rest.
      const found = filing ?? (beyond ? (await byForm(company.cik, kind.forms, tools))[0] : undefined)
      return found && entry(kind, found)
    }),
  )
  return [report && entry(annual, report), ...rest].filter(filing => filing !== undefined)
}

const entry = ({ title, dated }: Kind, filing: SecFiling) => ({
  ...told(filing),
  title: `${title} (${filing.form})${dated && filing.report_date ? ` ${dated} ${filing.report_date}` : ''}`,
})
