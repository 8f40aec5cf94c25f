/** Reads the facts of a companyfacts body, and keeps the digits of every number. */
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import type { SecFact } from '../../../../schemas/sec-facts.ts'

interface Row {
  start?: string
  end: string
  val: string
  accn: string
  fy: string | null
  fp: string | null
  form: string
  filed: string
  frame?: string
}
interface Body {
  cik: string
  facts: Record<string, Record<string, { units?: Record<string, Row[]> }>>
}

/** Keeps numbers as text. */
const digits = (_key: string, value: unknown, context: { source: string }): unknown =>
  typeof value === 'number' ? context.source : value

export function factsIn(file: string | URL): SecFact[] {
  const parse = JSON.parse as (text: string, reviver: typeof digits) => Body
  return factsOf(parse(Buffer.from(readFileSync(file)).toString(), digits))
}

const factsOf = ({ cik, facts }: Body): SecFact[] =>
  Object.entries(facts).flatMap(([taxonomy, concepts]) =>
    Object.entries(concepts).flatMap(([concept, { units = {} }]) =>
      Object.entries(units).flatMap(([unit, rows]) =>
        rows.map(row => ({
          cik: Number(cik),
          taxonomy,
          concept,
          unit,
          period_start: row.start ?? null,
          period_end: row.end,
          days: row.start ? (Date.parse(row.end) - Date.parse(row.start)) / 86_400_000 : 0,
          value: row.val,
          accession: row.accn,
          form: row.form,
          filed: row.filed,
          fy: row.fy === null ? null : Number(row.fy),
          fp: row.fp,
          frame: row.frame ?? null,
        })),
      ),
    ),
  )
