/** The Forms 3, 4 and 5 of a company or a person, and their lines. */
import { filingUrl, type SecFiling } from '../../../../schemas/sec-filings.ts'
import {
  companyInsiders,
  insiderForms,
  ownerInsiders,
  type SecInsider,
} from '../../../../schemas/sec-insiders.ts'
import { number } from '../../../offer/answer.ts'
import type { Tools } from '../../../offer/operation.ts'
import { byForm } from './filings.ts'

export async function formsOf(
  cik: number,
  { from, to }: { from: string; to: string },
  tools: Tools,
): Promise<SecFiling[]> {
  const forms = await byForm(cik, insiderForms, tools)
  return forms.filter(({ filed }) => filed >= from && filed <= to)
}

/** The lines where it is the issuer and those where it is the insider, newest first. */
export async function linesOf(cik: number, tools: Tools): Promise<SecInsider[]> {
  const [issued, owned] = await Promise.all([
    tools.lookAll(companyInsiders, cik),
    tools.lookAll(ownerInsiders, cik),
  ])
  const place = ({ filed, accepted, accession }: SecInsider) => `${filed} ${accepted ?? ''} ${accession}`
  return [...issued, ...owned.filter(line => line.cik !== cik)].sort(
    (a, b) => Number(place(a) < place(b)) - Number(place(a) > place(b)) || a.line - b.line,
  )
}

/** The words of the form's own instructions, shortened. */
const meanings: Record<string, string> = {
  P: 'bought on the market or privately',
  S: 'sold on the market or privately',
  A: 'granted or awarded',
  D: 'returned to the issuer',
  F: 'withheld for tax or exercise price',
  I: 'discretionary transaction',
  M: 'exercised or converted a derivative',
  C: 'converted a derivative',
  E: 'a short derivative expired',
  H: 'a long derivative expired or was cancelled',
  O: 'exercised out of the money',
  X: 'exercised in or at the money',
  G: 'gift',
  L: 'small acquisition',
  W: 'will or inheritance',
  Z: 'voting trust',
  J: 'other, told in a footnote',
  K: 'equity swap',
  U: 'tendered in a change of control',
}

const digits = (value: string | null) => (value === null ? null : number(value))

export function lineAnswer(line: SecInsider, filing: SecFiling | undefined) {
  const { accession, form, filed, date, code, security, derivative, nature } = line
  return {
    issuer: { cik: line.cik, name: line.issuer, ticker: line.ticker },
    owner: {
      cik: line.owner_cik,
      name: line.owner,
      ...(line.joint_owners.length ? { joint_owners: line.joint_owners } : {}),
    },
    roles: rolesOf(line),
    title: line.title,
    form,
    filed,
    kind: line.kind === 'holding' ? ('holding' as const) : ('transaction' as const),
    date,
    code,
    code_meaning: code === null ? null : (meanings[code] ?? null),
    security,
    derivative,
    direction: line.acquired === null ? null : line.acquired ? ('acquired' as const) : ('disposed' as const),
    shares: digits(line.shares),
    price: digits(line.price),
    value: digits(line.value),
    shares_after: digits(line.shares_after),
    ownership: line.direct ? ('direct' as const) : ('indirect' as const),
    nature,
    ...(derivative ? derivativeOf(line) : {}),
    plan_10b5_1: line.plan_10b5_1,
    accession,
    url: filingUrl(filing ?? { cik: line.cik, accession, primary_document: '' }),
  }
}

const rolesOf = (line: SecInsider) => [
  ...(line.is_director ? (['director'] as const) : []),
  ...(line.is_officer ? (['officer'] as const) : []),
  ...(line.is_ten_percent_owner ? (['ten_percent_owner'] as const) : []),
]

const derivativeOf = (line: SecInsider) => ({
  exercise_price: digits(line.exercise_price),
  expires: line.expires,
  underlying: line.underlying,
  underlying_shares: digits(line.underlying_shares),
})
