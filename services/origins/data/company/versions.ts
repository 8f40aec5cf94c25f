/** Figures of a company as they were sold, and the same periods as their company reports them now. */
import { instant } from '../../../../schemas/values/values.ts'
import { jsonOf, withItsDigits } from '../../../offer/answer.ts'
import { refuseFor, type Tools } from '../../../offer/operation.ts'
import type { Correction, Version, Versions } from '../../../offer/versions.ts'
import { secFinancials } from './sec-financials.ts'

type Figures = Record<string, unknown> & { metrics: Record<string, Metric | null> }
type Metric = Record<string, unknown>
interface Point {
  period_start: string | null
  period_end: string
  value: unknown
  accession: string
  filed: string
  form: string
}

const dayMs = 86_400_000
/** A sale may be older than its receipt, or than the filings of its day. */
const mostDaysBack = 2
const kinds = ['annual', 'latest_quarter', 'quarters', 'ttm', 'year_to_date'] as const

export const versionsOfFinancials: Versions = async function* (
  question,
  tools,
  issuedMs,
): AsyncGenerator<Version> {
  const asked = question as { as_of?: string | null }
  const current = await figures(asked, tools)
  yield { sold: current, now: async () => ({ now: current, why: [] }) }
  // What was known on a past day is known.
  if (asked.as_of) return
  for (let back = 0; back <= mostDaysBack; back++) {
    const as_of = instant(issuedMs - back * dayMs).slice(0, 10)
    const { as_of: _, ...sold } = await figures({ ...asked, as_of }, tools)
    yield { sold, now: async () => restated(sold as Figures, current) }
  }
}

async function figures(question: object, tools: Tools): Promise<Figures> {
  const answer = await secFinancials.answer(question as never, tools, refuseFor(secFinancials))
  return withItsDigits(jsonOf(answer)) as Figures
}

/** Of the periods that were sold, and of no others. */
function restated(sold: Figures, current: Figures): { now: Figures; why: Correction[] } {
  const why = new Map<string, Correction>()
  const metrics = Object.entries(sold.metrics).map(([name, metric]) => {
    const reported = metric && current.metrics[name]
    if (!reported) return [name, metric] as const
    const again = kinds
      .filter(kind => metric[kind] !== undefined && metric[kind] !== null)
      .map(kind => {
        const renew = (point: Point): Point => renewed(point, pointsOf(reported, kind), why)
        const held = metric[kind]
        return [kind, Array.isArray(held) ? held.map(renew) : renew(held as Point)] as const
      })
    return [name, { ...metric, ...Object.fromEntries(again) }] as const
  })
  return { now: { ...sold, metrics: Object.fromEntries(metrics) }, why: [...why.values()] }
}

const pointsOf = (metric: Metric, kind: (typeof kinds)[number]): Point[] => {
  const held = [metric[kind], ...(kind === 'latest_quarter' ? [metric.quarters] : [])]
  return held.flat().filter(point => point) as Point[]
}

function renewed(point: Point, reported: readonly Point[], why: Map<string, Correction>): Point {
  const now = reported.find(
    ({ period_start, period_end }) => period_start === point.period_start && period_end === point.period_end,
  )
  if (!now || JSON.stringify(now.value) === JSON.stringify(point.value)) return point
  const { accession, filed, form } = now
  why.set(accession, { at: filed, what: `The company has filed other figures: ${form} ${accession}` })
  return now
}
