/** Reads the facts of a concept into rows, with the digits that were filed. */
import type { SecFact } from '../../../schemas/sec-facts.ts'
import { daysBetween } from '../../domains/company/filed-facts.ts'
import { Bounded } from '../../rails/bounded.ts'
import { type Drift, driftOf, type KnownTypes } from '../../rails/drift.ts'
import type { Concept } from './concepts.ts'

interface Row {
  start?: string | null
  end?: string
  /** The reader turns it into text before it parses the JSON. */
  val?: string | null
  accn?: string
  fy?: number | null
  fp?: string | null
  form?: string | null
  filed?: string
  frame?: string | null
}

/** No string of a document can contain this, because a quote inside a string is escaped. */
const number = /"val"\s*:\s*(-?[0-9][0-9.eE+-]*)/g

/** The periods of a document repeat from concept to concept. */
const lengths = new Bounded<number>({ most: 5000 })

function days(start: string, end: string): number {
  const period = start + end
  let length = lengths.peek(period)
  if (length === undefined) {
    length = daysBetween(start, end)
    lengths.set(period, length)
  }
  return length
}

const knownFields: KnownTypes = {
  start: 'string|null?',
  end: 'string',
  val: 'string',
  accn: 'string',
  fy: 'number|null',
  fp: 'string|null',
  form: 'string|null',
  filed: 'string',
  frame: 'string|null?',
}

/** Reports the drift of a concept's rows. */
export const factDrift = ({ json }: Concept): Drift[] =>
  Object.values(unitsIn(json)).flatMap(rows => driftOf(knownFields, rows))

const unitsIn = (json: string): Record<string, Row[]> =>
  (JSON.parse(json.replaceAll(number, '"val":"$1"')) as { units?: Record<string, Row[]> }).units ?? {}

export function* factsOf(cik: number, { taxonomy, name: concept, json }: Concept): Generator<SecFact> {
  for (const [unit, rows] of Object.entries(unitsIn(json)))
    for (const { start, end, val, accn, fy, fp, form, filed, frame } of rows) {
      // Without these fields nobody could trace the fact.
      if (typeof val !== 'string' || !end || !accn || !filed) continue
      yield {
        cik,
        taxonomy,
        concept,
        unit,
        period_start: start ?? null,
        period_end: end,
        days: start ? days(start, end) : 0,
        value: plain(val),
        accession: accn,
        form: form || '(none)',
        filed,
        fy: fy ?? null,
        fp: fp ?? null,
        frame: frame ?? null,
      }
    }
}

/** Writes the same number without an exponent. */
export function plain(number: string): string {
  if (!number.includes('e') && !number.includes('E')) return number
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  if (exponent === undefined) return number
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0').replace(/^0+(?=\d)/, '')
  return `${sign}${digits.slice(0, point).replace(/^0+(?=\d)/, '')}.${digits.slice(point)}`
}
