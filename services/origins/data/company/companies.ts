/** Finds the company of a question by ticker or cik, and fetches it if it is not loaded yet. */
import { z } from 'zod'
import { asOfLookup, companyLookup } from '../../../../pipelines/lookups/company.ts'
import { listingLookup } from '../../../../pipelines/lookups/listing.ts'
import { secData, secWww } from '../../../../pipelines/sources/sec/upstream.ts'
import type { View } from '../../../../schemas/dataset/dataset.ts'
import { companyNow, type SecCompany } from '../../../../schemas/sec-companies.ts'
import { companyFilings, reportForms } from '../../../../schemas/sec-filings.ts'
import { financialsAsOf, financialsNow, type SecFinancials } from '../../../../schemas/sec-financials.ts'
import { type SecTicker, tickerNow } from '../../../../schemas/sec-tickers.ts'
import { sourceNow } from '../../../../schemas/source-ticks.ts'
import { Cik } from '../../../../schemas/values/values.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Held, Refusal, Tools } from '../../../offer/operation.ts'
import { byForm } from './filings.ts'
import { indexOf, type TickerIndex, tickerIndex } from './tickers.ts'

const cikText = z
  .string()
  .trim()
  .regex(/^(CIK)?0*[1-9]\d{0,9}$/i, 'a CIK, such as 320193')
  .transform(text => Number(text.replace(/^CIK/i, '')))

/** The fields that name a company, the same in every question about one. */
export const companyAsked = {
  ticker: z
    .string()
    .trim()
    .min(1)
    .max(20)
    .nullish()
    .describe('Ticker, e.g. AAPL or BRK.B; send a ticker or a cik'),
  cik: z
    .union([z.int().min(1).max(9_999_999_999), cikText])
    .nullish()
    .describe('SEC Central Index Key; it decides if both are sent'),
}
interface CompanyAsked {
  ticker?: string | null | undefined
  cik?: number | null | undefined
}

export const companyRefusals = {
  missing_company: { status: 400, about: 'Neither ticker nor cik is sent' },
  conflicting_company: { status: 400, about: 'The ticker belongs to another company than the cik' },
  unknown_ticker: { status: 422, about: 'The SEC lists no such ticker' },
  unknown_company: { status: 422, about: 'EDGAR has no filer with this cik' },
} satisfies Record<string, Refusal>
type Refuse = (code: keyof typeof companyRefusals, message: string) => never

export async function companyOf(asked: CompanyAsked, tools: Tools, refuse: Refuse): Promise<SecCompany> {
  const cik = await cikOf(asked, tools, refuse)
  const unknown = () =>
    refuse(
      'unknown_company',
      tools.isSample(secData)
        ? `The bundled sample of filers lacks the cik ${cik}`
        : `EDGAR has no filer with the cik ${cik}`,
    )
  if (!Cik.safeParse(cik).success) return unknown()
  const loaded = await tools.look(companyNow, cik)
  if (loaded && isFresh(loaded, tools)) return loaded
  // A company that can be fetched anew is never sold stale. If EDGAR does not respond, the caller gets a free 502.
  if (!(await tools.find(companyLookup, cik))) return unknown()
  const fetched = await tools.look(companyNow, cik)
  if (fetched) return fetched
  throw new Failure('not_ready', `Company ${cik} is being loaded`, { 'Retry-After': '5' })
}

const isFresh = (company: SecCompany, tools: Tools): boolean =>
  companyNow.fresh({
    now: tools.now(),
    polledAt: polledAt(companyNow, tools),
    newest: company,
    asked: undefined,
  })

function polledAt({ source = '' }: View, tools: Tools): number | undefined {
  const good = tools.view(sourceNow, undefined).get(source)?.good_at
  return good ? Date.parse(good) : undefined
}

/** Throws a free 502 where the feed of a view is silent. For views that cannot be fetched anew for one question. */
export function feedIsRead(view: View, tools: Tools): void {
  if (!view.fresh({ now: tools.now(), polledAt: polledAt(view, tools), newest: undefined, asked: undefined }))
    throw new Failure('stale_data', `${view.name} is older than we promise`, { 'Retry-After': '30' })
}

async function cikOf({ ticker, cik }: CompanyAsked, tools: Tools, refuse: Refuse): Promise<number> {
  if (typeof ticker !== 'string') return cik ?? refuse('missing_company', 'Send a ticker or a cik')
  const tickers = tools.view(tickerNow, undefined)
  const listed = tickerIndex(tickers).cikOf(ticker)
  if (typeof cik !== 'number')
    return (
      listed ??
      (await newlyListed(ticker, tools)) ??
      refuse(
        'unknown_ticker',
        tools.isSample(secWww)
          ? `The bundled sample of tickers lacks ${ticker}; it holds ${tickersIn(tickers)}`
          : `The SEC lists no ticker ${ticker}; if the company has left the list, send its cik`,
      )
    )
  if (listed !== undefined && listed !== cik)
    return refuse('conflicting_company', `The ticker ${ticker} belongs to cik ${listed}, not to ${cik}`)
  return cik
}

const tickersIn = (held: Held<SecTicker>): string =>
  [...held.rows()].flatMap(({ ticker, cik }) => (cik === null ? [] : ticker)).join(', ')

/** Holds one index for each fetched list. */
const indexes = new WeakMap<readonly SecTicker[], TickerIndex>()

async function newlyListed(ticker: string, tools: Tools): Promise<number | undefined> {
  const list = await tools.find(listingLookup, undefined)
  if (!list) return undefined
  const index = indexes.get(list) ?? indexOf(list)
  indexes.set(list, index)
  return index.cikOf(ticker)
}

/** Resolves with undefined where the company files no financial data. */
export async function financialsOf(
  { cik, filing_count }: SecCompany,
  tools: Tools,
): Promise<SecFinancials | undefined> {
  const loaded = await tools.look(financialsNow, cik)
  if (loaded) return loaded.points.length ? loaded : undefined
  // Most filers are people and funds. Only a filer of XBRL reports has figures that are worth a fetch.
  if (!(await isReporting({ cik, filing_count }, tools))) return undefined
  await tools.find(companyLookup, cik)
  const fetched = await tools.look(financialsNow, cik)
  if (!fetched)
    throw new Failure('not_ready', `The facts of company ${cik} are being loaded`, { 'Retry-After': '5' })
  return fetched.points.length ? fetched : undefined
}

/** Finds the company's figures as they were known on a day: from filings up to that day. */
export async function knownOn(
  day: string,
  { cik }: SecCompany,
  tools: Tools,
): Promise<SecFinancials | undefined> {
  const known = await tools.look(financialsAsOf, cik, day)
  if (!known) await tools.find(asOfLookup, { cik, as_of: day })
  const found = known ?? (await tools.look(financialsAsOf, cik, day))
  if (!found)
    throw new Failure('not_ready', `The facts of company ${cik} are being loaded`, { 'Retry-After': '5' })
  return found.points.length ? found : undefined
}

/** The reports of a heavy filer may be older than its newest filings. If none is loaded, EDGAR's facts decide. */
async function isReporting(
  { cik, filing_count }: Pick<SecCompany, 'cik' | 'filing_count'>,
  tools: Tools,
): Promise<boolean> {
  const recent = await tools.lookAll(companyFilings, cik)
  if (recent.some(({ form, is_xbrl }) => is_xbrl && reportForms.includes(form))) return true
  if (recent.length >= filing_count) return false
  const reports = await byForm(cik, ['10-K', '10-Q', '20-F', '40-F'], tools)
  return reports.length === 0 || reports.some(({ is_xbrl }) => is_xbrl)
}

export const notesOn = ({ name }: SecCompany, financials: SecFinancials | undefined): readonly string[] =>
  financials?.notes ?? [`${name} files no financial data in XBRL.`]
