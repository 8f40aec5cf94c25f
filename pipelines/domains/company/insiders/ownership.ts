/** A Form 3, 4 or 5 as rows: one for each line of its tables. */
import { Decimal } from 'decimal.js'
import { z } from 'zod'
import type { SecFiling } from '../../../../schemas/sec-filings.ts'
import type { SecInsider } from '../../../../schemas/sec-insiders.ts'
import { Cik } from '../../../../schemas/values/values.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { readXml, type XmlElement } from '../../../rails/formats/xml.ts'

export type InsiderForm = Pick<SecFiling, 'cik' | 'accession' | 'form' | 'filed' | 'accepted'>

const Precise = Decimal.clone({ precision: 60 })

/** Finds an element below another by the names on the path to it. */
const at = (element: XmlElement | undefined, ...path: string[]): XmlElement | undefined =>
  path.reduce<XmlElement | undefined>(
    (found, name) => found?.children.find(child => child.name === name),
    element,
  )
const all = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter(child => child.name === name) ?? []
const textAt = (element: XmlElement | undefined, ...path: string[]): string | null =>
  at(element, ...path)
    ?.text.replace(/\s+/g, ' ')
    .trim() || null
/** Most fields are in a `value`, next to their footnotes. */
const valueAt = (element: XmlElement, ...path: string[]): string | null => textAt(element, ...path, 'value')
const isTrue = (text: string | null): boolean => text === '1' || text?.toLowerCase() === 'true'

/** Undefined if a footnote replaces the number, or words surround it. */
function numberAt(element: XmlElement, ...path: string[]): string | null {
  const number = valueAt(element, ...path)?.replace(/^\$|,/g, '') ?? ''
  return /^-?\d{1,26}(\.\d{1,12})?$/.test(number) ? number : null
}
const dayAt = (element: XmlElement, ...path: string[]): string | null =>
  /^\d{4}-\d{2}-\d{2}/.exec(valueAt(element, ...path) ?? '')?.[0] ?? null

export async function insidersIn(
  xml: string,
  { accession, form, filed, accepted }: InsiderForm,
  from: string,
): Promise<SecInsider[]> {
  const document = await readXml(xml, from)
  const owners = all(document, 'reportingOwner')
  const [first] = owners
  const cik = cikAt(document, from, 'issuer', 'issuerCik')
  const told = { isOfficer: false, isDirector: false, isTenPercentOwner: false }
  const roles = at(first, 'reportingOwnerRelationship')
  for (const role of Object.keys(told) as (keyof typeof told)[]) told[role] = isTrue(textAt(roles, role))
  const plan = textAt(document, 'aff10b5One')
  const common = {
    cik,
    accession,
    form,
    filed,
    accepted,
    issuer: textAt(document, 'issuer', 'issuerName') ?? '',
    ticker: tickerOf(textAt(document, 'issuer', 'issuerTradingSymbol')),
    owner_cik: cikAt(first, from, 'reportingOwnerId', 'rptOwnerCik'),
    owner: nameOf(first),
    joint_owners: owners.slice(1).map(nameOf),
    is_director: told.isDirector,
    is_officer: told.isOfficer,
    is_ten_percent_owner: told.isTenPercentOwner,
    title: textAt(roles, 'officerTitle'),
    plan_10b5_1: plan === null ? null : isTrue(plan),
  }
  const lines = (['nonDerivative', 'derivative'] as const).flatMap(table =>
    (['Transaction', 'Holding'] as const).flatMap(kind =>
      all(at(document, `${table}Table`), `${table}${kind}`).map(element =>
        lineOf(element, {
          derivative: table === 'derivative',
          kind: kind === 'Holding' ? 'holding' : 'transaction',
        }),
      ),
    ),
  )
  return (lines.length ? lines : [nothing]).map((line, i) => ({ ...common, ...line, line: i }))
}

type Line = Pick<
  SecInsider,
  | 'kind'
  | 'derivative'
  | 'security'
  | 'date'
  | 'code'
  | 'acquired'
  | 'shares'
  | 'price'
  | 'value'
  | 'shares_after'
  | 'direct'
  | 'nature'
  | 'exercise_price'
  | 'expires'
  | 'underlying'
  | 'underlying_shares'
>

/** A form without lines gets this row, so that it is not fetched again. */
const nothing: Line = {
  kind: 'none',
  derivative: false,
  security: '',
  date: null,
  code: null,
  acquired: null,
  shares: null,
  price: null,
  value: null,
  shares_after: null,
  direct: true,
  nature: null,
  exercise_price: null,
  expires: null,
  underlying: null,
  underlying_shares: null,
}

function lineOf(element: XmlElement, { kind, derivative }: Pick<Line, 'kind' | 'derivative'>): Line {
  const direction = valueAt(element, 'transactionAmounts', 'transactionAcquiredDisposedCode')
  const shares = numberAt(element, 'transactionAmounts', 'transactionShares')
  const price = numberAt(element, 'transactionAmounts', 'transactionPricePerShare')
  return {
    kind,
    derivative,
    security: valueAt(element, 'securityTitle') ?? '',
    date: dayAt(element, 'transactionDate'),
    code: textAt(element, 'transactionCoding', 'transactionCode'),
    acquired: direction === null ? null : direction === 'A',
    shares,
    price,
    value: shares !== null && price !== null ? times(shares, price) : null,
    shares_after: numberAt(element, 'postTransactionAmounts', 'sharesOwnedFollowingTransaction'),
    direct: valueAt(element, 'ownershipNature', 'directOrIndirectOwnership') !== 'I',
    nature: valueAt(element, 'ownershipNature', 'natureOfOwnership'),
    exercise_price: numberAt(element, 'conversionOrExercisePrice'),
    expires: dayAt(element, 'expirationDate'),
    underlying: valueAt(element, 'underlyingSecurity', 'underlyingSecurityTitle'),
    underlying_shares: numberAt(element, 'underlyingSecurity', 'underlyingSecurityShares'),
  }
}

const times = (shares: string, price: string): string =>
  new Precise(shares).times(price).toDecimalPlaces(12).toFixed()

const nameOf = (owner: XmlElement | undefined): string =>
  textAt(owner, 'reportingOwnerId', 'rptOwnerName') ?? ''
const tickerOf = (symbol: string | null): string | null =>
  symbol && !/^(none|n\/?a)$/i.test(symbol) ? symbol.toUpperCase() : null

const digits = z.coerce.number().pipe(Cik)

function cikAt(element: XmlElement | undefined, from: string, ...path: string[]): number {
  const { success, data } = digits.safeParse(textAt(element, ...path))
  if (!success) throw new UpstreamFailed(`${from} names no ${path.at(-1)}`)
  return data
}
