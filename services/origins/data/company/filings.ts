/** The filings of a company, newest first, of one form where the caller asks for one. */
import { z } from 'zod'
import { olderFilingsLookup } from '../../../../pipelines/lookups/company.ts'
import type { SecCompany } from '../../../../schemas/sec-companies.ts'
import {
  companyFilings,
  companyFilingsByForm,
  filingUrl,
  type SecFiling,
} from '../../../../schemas/sec-filings.ts'
import type { Tools } from '../../../offer/operation.ts'

export const formAsked = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .nullish()
  .describe('Only filings of this form, e.g. 10-K, 8-K, 4; 10-K does not include 10-K/A')

export const filingShape = z.strictObject({
  form: z.string(),
  filed: z.string(),
  report_date: z.string().nullable(),
  accession: z.string(),
  url: z.string().describe('The document itself'),
})

export const filingAnswer = (filing: SecFiling) => ({
  form: filing.form,
  filed: filing.filed,
  report_date: filing.report_date,
  accession: filing.accession,
  url: filingUrl(filing),
})

/** The fields that the ingest role needs to read a document. */
export const documentOf = ({
  cik,
  accession,
  form,
  filed,
  accepted,
  items,
  primary_document,
}: SecFiling) => ({ cik, accession, form, filed, accepted, items, primary_document })

const aliases: Record<string, string> = {
  '10K': '10-K',
  '10Q': '10-Q',
  '8K': '8-K',
  DEF14A: 'DEF 14A',
  S1: 'S-1',
  '13F': '13F-HR',
}

/** Lists every name of a form: since December 2024 SC 13D is filed as SCHEDULE 13D. */
function formsOf(asked: string): string[] {
  const plain = asked
    .trim()
    .toUpperCase()
    .replace(/\s+/g, ' ')
    .replace(/^FORM /, '')
  const form = aliases[plain] ?? plain
  const [, ownership] = /^(?:SC|SCHEDULE) (13[DG](?:\/A)?)$/.exec(form) ?? []
  return ownership ? [`SCHEDULE ${ownership}`, `SC ${ownership}`] : [form]
}

interface FilingsAsked {
  form: string | null | undefined
  limit: number
}

export async function filingsOf(
  company: SecCompany,
  { form, limit }: FilingsAsked,
  tools: Tools,
): Promise<readonly SecFiling[]> {
  const recent = await tools.lookAll(companyFilings, company.cik)
  if (typeof form !== 'string') return recent.slice(0, limit)
  const forms = formsOf(form)
  const found = recent.filter(filing => forms.includes(filing.form))
  if (found.length >= limit || recent.length >= company.filing_count) return found.slice(0, limit)
  return (await ofForms(company, forms, limit, tools)).slice(0, limit)
}

/** Finds the newest filing of some forms, on any of EDGAR's pages. */
export async function ofForms(
  { cik }: SecCompany,
  forms: readonly string[],
  limit: number,
  tools: Tools,
): Promise<SecFiling[]> {
  const found = await byForm(cik, forms, tools)
  if (found.length >= limit || (await hasOlder(cik, tools))) return found
  await tools.find(olderFilingsLookup, cik)
  walked.add(await tools.lookAll(companyFilings, cik))
  return byForm(cik, forms, tools)
}

/** The rows of companies whose older pages were fetched. A new look-up makes new rows. */
const walked = new WeakSet<readonly SecFiling[]>()

/** Are the older pages loaded? They are fetched together, and those of every company have old annual reports. */
async function hasOlder(cik: number, tools: Tools): Promise<boolean> {
  const recent = await tools.lookAll(companyFilings, cik)
  if (walked.has(recent)) return true
  const oldest = recent.at(-1)?.filed ?? ''
  return (await byForm(cik, ['10-K', '20-F'], tools)).some(({ filed }) => filed < oldest)
}

/** Searches what is loaded, and fetches nothing. */
export async function byForm(cik: number, forms: readonly string[], tools: Tools): Promise<SecFiling[]> {
  const found = await Promise.all(forms.map(form => tools.lookAll(companyFilingsByForm, cik, form)))
  return found.flat().sort(newestFirst)
}

const newestFirst = (a: SecFiling, b: SecFiling): number => (placeOf(a) < placeOf(b) ? 1 : -1)
const placeOf = ({ filed, accepted, accession }: SecFiling): string =>
  `${filed} ${accepted ?? ''} ${accession}`
