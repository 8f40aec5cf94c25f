/** Reads EDGAR's document of a filer: its profile, and the columns of its filings. */
import { z } from 'zod'
import type { SecCompany } from '../../../schemas/sec-companies.ts'
import type { SecFiling } from '../../../schemas/sec-filings.ts'
import { type Drift, driftOf, type KnownTypes } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { parseInPieces } from '../../rails/formats/json-pieces.ts'
import { inTurns, weightOf } from '../../rails/formats/members.ts'

const text = z.string().nullish()
/** Its values are checked where they are read, one filing after the other. */
const column = z.custom<unknown[]>(Array.isArray)

/** Columns are read by name: new ones appear without notice. */
const columns = z.looseObject({
  accessionNumber: column,
  filingDate: column,
  form: column,
  reportDate: column.optional(),
  acceptanceDateTime: column.optional(),
  items: column.optional(),
  primaryDocument: column.optional(),
  primaryDocDescription: column.optional(),
  size: column.optional(),
  isXBRL: column.optional(),
})
type Columns = z.output<typeof columns>

const address = z.looseObject({
  street1: text,
  street2: text,
  city: text,
  stateOrCountry: text,
  zipCode: text,
  stateOrCountryDescription: text,
})

const document = z.looseObject({
  cik: z.union([z.string(), z.number()]),
  name: z.string(),
  entityType: text,
  sic: text,
  sicDescription: text,
  category: text,
  tickers: z.array(z.string().nullable()).nullish(),
  exchanges: z.array(z.string().nullable()).nullish(),
  fiscalYearEnd: text,
  stateOfIncorporation: text,
  stateOfIncorporationDescription: text,
  addresses: z.looseObject({ business: address.nullish() }).nullish(),
  formerNames: z.array(z.looseObject({ name: z.string() })).nullish(),
  filings: z.looseObject({
    recent: columns,
    files: z.array(z.looseObject({ name: z.string(), filingCount: z.number() })).nullish(),
  }),
})

const knownFields: KnownTypes = {
  cik: 'string|number',
  entityType: 'string|null',
  sic: 'string|null',
  sicDescription: 'string|null',
  ownerOrg: 'string|null?',
  insiderTransactionForOwnerExists: 'number?',
  insiderTransactionForIssuerExists: 'number?',
  name: 'string',
  tickers: 'array|null',
  exchanges: 'array|null',
  ein: 'string|null?',
  lei: 'string|null?',
  description: 'string|null?',
  website: 'string|null?',
  investorWebsite: 'string|null?',
  category: 'string|null',
  fiscalYearEnd: 'string|null',
  stateOfIncorporation: 'string|null',
  stateOfIncorporationDescription: 'string|null',
  addresses: 'object|null',
  phone: 'string|null?',
  flags: 'string|null?',
  formerNames: 'array|null',
  filings: 'object',
}
const mostProfileBytes = 1 << 20
const knownColumns: KnownTypes = Object.fromEntries([
  ...Object.keys(columns.shape).map(name => [name, 'array']),
  // Not sold.
  ...['act', 'core_type', 'fileNumber', 'filmNumber', 'isInlineXBRL', 'isXBRLNumeric'].map(name => [
    name,
    'array?',
  ]),
])

export interface Submissions {
  company: SecCompany
  /** Newest first, in EDGAR's order. */
  filings: SecFiling[]
  /** The documents with the older filings, newest first. */
  olderFiles: string[]
  /** Computed only on request, because an archive has a million documents. */
  drift(): Drift[]
}

export async function readSubmissions(json: Buffer, from: string, readAt: string): Promise<Submissions> {
  const value = await parsed(json, document, from)
  const cik = Number(value.cik)
  const filings = await filingsOf(cik, value.filings.recent, from)
  const files = value.filings.files ?? []
  return {
    company: {
      cik,
      name: value.name,
      tickers: unique(value.tickers),
      exchanges: unique(value.exchanges),
      entity_type: some(value.entityType),
      sic: some(value.sic),
      industry: some(value.sicDescription),
      category: some(value.category?.replaceAll(/<br\s*\/?>/g, ', ')),
      state_of_incorporation: some(value.stateOfIncorporationDescription) ?? some(value.stateOfIncorporation),
      fiscal_year_end: fiscalYearEnd(value.fiscalYearEnd, filings),
      business_address: oneLine(value.addresses?.business),
      former_names: (value.formerNames ?? []).map(({ name }) => name),
      filing_count: filings.length + files.reduce((sum, { filingCount }) => sum + filingCount, 0),
      read_at: readAt,
    },
    filings,
    olderFiles: files.map(({ name }) => name),
    drift: () => [
      ...driftOf(knownFields, [value]),
      ...driftOf(knownColumns, [value.filings.recent]).map(one => ({ ...one, what: `filings.${one.what}` })),
    ],
  }
}

/** A document with older filings consists of the columns only. */
export const readOlderFilings = async (json: Buffer, cik: number, from: string): Promise<SecFiling[]> =>
  filingsOf(cik, await parsed(json, columns, from), from)

async function parsed<T>(json: Buffer, shape: z.ZodType<T>, from: string): Promise<T> {
  try {
    const value = await parseInPieces(json)
    if (weightOf(withoutColumns(value), mostProfileBytes) > mostProfileBytes)
      throw new RangeError(`its profile has more than ${mostProfileBytes} bytes`)
    return shape.parse(value)
  } catch (error) {
    throw new UpstreamFailed(`${from} is not the document it should be`, { cause: error })
  }
}

/** The profile is looked at in one go. */
function withoutColumns(given: unknown): unknown {
  const value = given as { filings?: object } | null
  const { filings, ...profile } = value ?? {}
  return filings ? { ...profile, filings: { ...filings, recent: null } } : null
}

async function filingsOf(cik: number, table: Columns, from: string): Promise<SecFiling[]> {
  const seen = new Set<string>()
  const rows: SecFiling[] = []
  let i = -1
  for await (const { member: accession } of inTurns(table.accessionNumber, mostProfileBytes)) {
    i++
    const at = (name: keyof Columns) => {
      const value = (table[name] as unknown[] | undefined)?.[i] ?? ''
      if (typeof value === 'object') throw new UpstreamFailed(`${from}: ${name} of a filing is no text`)
      return String(value)
    }
    if (typeof accession !== 'string') throw new UpstreamFailed(`${from}: a filing has no accession number`)
    if (seen.has(accession)) continue
    seen.add(accession)
    rows.push({
      cik,
      accession,
      form: at('form') || '(none)',
      filed: at('filingDate').slice(0, 10),
      accepted: instantOf(at('acceptanceDateTime')),
      report_date: some(at('reportDate').slice(0, 10)),
      items: at('items')
        .split(',')
        .map(item => item.trim())
        .filter(Boolean),
      primary_document: at('primaryDocument'),
      primary_doc_description: at('primaryDocDescription'),
      size: Number(at('size')) || 0,
      is_xbrl: at('isXBRL') === '1',
    })
  }
  return rows
}

const some = (value: string | null | undefined): string | null => value?.trim() || null
const unique = (values: readonly (string | null)[] | null | undefined): string[] =>
  [...new Set((values ?? []).filter(value => value !== null && value !== ''))] as string[]

function instantOf(value: string): string | null {
  const at = Date.parse(value)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}

const isAnnual = ({ form }: SecFiling) => /^(10-K|20-F|40-F)/.test(form)

function fiscalYearEnd(published: string | null | undefined, filings: readonly SecFiling[]): string | null {
  if (published && /^\d{4}$/.test(published)) return `${published.slice(0, 2)}-${published.slice(2)}`
  return filings.find(filing => isAnnual(filing) && filing.report_date)?.report_date?.slice(5) ?? null
}

function oneLine(at: z.output<typeof address> | null | undefined): string | null {
  if (!at) return null
  const isState = /^[A-Z]{2}$/.test(at.stateOrCountry ?? '')
  const region = isState ? at.stateOrCountry : at.stateOrCountryDescription || at.stateOrCountry
  const last = [region, at.zipCode].filter(part => part?.trim()).join(' ')
  return some(
    [at.street1, at.street2, at.city, last]
      .map(part => part?.trim())
      .filter(Boolean)
      .join(', '),
  )
}
