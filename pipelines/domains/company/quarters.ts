/** The last three-month values of a metric, and its last twelve months. A derived value names its sources. */
import { Decimal } from 'decimal.js'
import type { SecFact } from '../../../schemas/sec-facts.ts'
import type { PointMetric, QuarterPoint } from '../../../schemas/sec-financials.ts'
import { flowMetrics } from './concept-chains.ts'
import { daysBetween, type FiledFacts, isQuarter, isYear, lastFiled, within } from './filed-facts.ts'
import { asFiled } from './metric-series.ts'

type Dated = SecFact & { period_start: string }
/** The last filed value of a period, and all earlier ones. */
type Span = Dated & { versions: readonly Dated[] }
type Value = Omit<QuarterPoint, 'metric' | 'span'>

const most = 8
const dayMs = 86_400_000
const sameDays = 3
const Precise = Decimal.clone({ precision: 60 })

/** Each period has a different number of shares, so a figure per share is never added up. */
const adds = (metric: PointMetric): boolean => metric !== 'eps_diluted'

export function quartersOf(
  metric: PointMetric,
  facts: FiledFacts,
  { concept, unit, end }: { concept: string; unit: string; end: string },
): QuarterPoint[] {
  if (!(flowMetrics as readonly string[]).includes(metric)) return []
  const spans = spansOf(facts, concept, unit).filter(({ period_end }) => period_end <= end)
  const quarters = endsOf(spans)
    .flatMap(
      last => filedQuarter(spans, last) ?? (adds(metric) ? derivedQuarter(spans, last) : undefined) ?? [],
    )
    .slice(0, most)
  const year = adds(metric) ? lastTwelveMonths(spans, quarters) : undefined
  return [
    ...quarters.map(value => ({ metric, span: 'quarter' as const, ...value })),
    ...(year ? [{ metric, span: 'ttm' as const, ...year }] : []),
  ]
}

function spansOf(facts: FiledFacts, concept: string, unit: string): Span[] {
  const all = facts
    .of(concept, unit)
    .filter((fact): fact is Dated => fact.period_start !== null)
    .filter(fact => facts.inAnnual(fact) || facts.inQuarterly(fact))
  const bySpan = Map.groupBy(all, ({ period_start, period_end }) => `${period_start} ${period_end}`)
  return [...bySpan.values()].map(versions => ({ ...(lastFiled(versions) as Dated), versions }))
}

/** Newest first. Ends a few days apart count as one. */
function endsOf(spans: readonly Span[]): string[] {
  const ends = [...new Set(spans.map(({ period_end }) => period_end))].sort().reverse()
  return ends.filter((end, i) => i === 0 || !within(sameDays, end, ends[i - 1] as string))
}

const to = (spans: readonly Span[], end: string) =>
  spans.filter(span => within(sameDays, span.period_end, end))

function filedQuarter(spans: readonly Span[], end: string): Value | undefined {
  const found = lastFiled(to(spans, end).filter(({ days }) => isQuarter(days)))
  return found && filedValue(found as Span)
}

/** A quarter is the difference between a longer period and a shorter one with the same beginning. */
function derivedQuarter(spans: readonly Span[], end: string): Value | undefined {
  for (const whole of to(spans, end).sort((a, b) => a.days - b.days)) {
    const before = spans.find(
      part =>
        within(sameDays, part.period_start, whole.period_start) &&
        isQuarter(daysBetween(part.period_end, whole.period_end)),
    )
    if (before && whole.days < 380)
      return derived(dayAfter(before.period_end), whole.period_end, [
        [1, whole],
        [-1, before],
      ])
  }
  return lessThreeQuarters(spans, end)
}

/** If the nine months are not filed, the fourth quarter is the year minus its other three quarters. */
function lessThreeQuarters(spans: readonly Span[], end: string): Value | undefined {
  const year = to(spans, end).find(({ days }) => isYear(days))
  if (!year) return undefined
  const parts: Span[] = []
  for (let start = year.period_start; parts.length < 3; ) {
    const next = spans.find(part => isQuarter(part.days) && within(sameDays, part.period_start, start))
    if (!next) return undefined
    parts.push(next)
    start = dayAfter(next.period_end)
  }
  const last = parts.at(-1) as Span
  if (!isQuarter(daysBetween(last.period_end, end))) return undefined
  return derived(dayAfter(last.period_end), end, [[1, year], ...parts.map(part => [-1, part] as const)])
}

function lastTwelveMonths(spans: readonly Span[], quarters: readonly Value[]): Value | undefined {
  const [newest] = quarters
  if (!newest) return undefined
  const { period_end: end } = newest
  const own = lastFiled(to(spans, end).filter(({ days }) => isYear(days)))
  if (own) return filedValue(own as Span)
  for (const toDate of to(spans, end).sort((a, b) => b.days - a.days)) {
    const year = spans.find(
      ({ days, period_end }) => isYear(days) && within(sameDays, dayAfter(period_end), toDate.period_start),
    )
    const before =
      year &&
      spans.find(
        part =>
          within(sameDays, part.period_start, year.period_start) &&
          Math.abs(part.days - toDate.days) <= 8 &&
          part.days < 350,
      )
    if (year && before)
      return derived(dayAfter(before.period_end), end, [
        [1, year],
        [1, toDate],
        [-1, before],
      ])
  }
  return fourQuarters(quarters)
}

function fourQuarters(quarters: readonly Value[]): Value | undefined {
  const four = quarters.slice(0, 4)
  const follow = four.every(
    ({ period_start }, i) =>
      i === four.length - 1 ||
      within(sameDays, dayAfter(four[i + 1]?.period_end ?? period_start), period_start),
  )
  const [newest, oldest] = [four[0], four[3]]
  if (!newest || !oldest || !follow) return undefined
  return {
    ...newest,
    period_start: oldest.period_start,
    value: four.reduce((sum, { value }) => sum.plus(value), new Precise(0)).toFixed(),
    derived_from: four.flatMap(({ derived_from, value, period_start, period_end, accession }) =>
      derived_from.length
        ? derived_from
        : [{ sign: 'plus' as const, value, period_start, period_end, accession }],
    ),
  }
}

type Part<Fact extends Dated> = readonly [sign: 1 | -1, fact: Fact]

/** The parts are taken as they were when the year was filed. A later change of a part does not change that year. */
function asOfWhole(parts: readonly Part<Span>[]): Part<Dated>[] {
  const [, whole] = parts[0] as Part<Span>
  return parts.map(([sign, fact]) => {
    const known = fact.versions.filter(({ filed }) => filed <= whole.filed)
    return [sign, (sign === -1 && lastFiled(known)) || fact] as Part<Dated>
  })
}

function derived(start: string, end: string, of: readonly Part<Span>[]): Value {
  const parts = asOfWhole(of)
  const value = parts.reduce(
    (sum, [sign, fact]) => sum.plus(new Precise(fact.value).times(sign)),
    new Precise(0),
  )
  const [newest] = parts.map(([, fact]) => fact).sort((a, b) => (a.filed < b.filed ? 1 : -1)) as [Dated]
  return {
    ...filedValue(newest),
    period_start: start,
    period_end: end,
    value: value.toFixed(),
    derived_from: parts.map(([sign, { value, period_start, period_end, accession }]) => ({
      sign: sign === 1 ? 'plus' : 'minus',
      value,
      period_start,
      period_end,
      accession,
    })),
  }
}

const filedValue = (fact: Dated): Value => ({ ...asFiled(fact), derived_from: [] })

const dayAfter = (day: string): string => new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10)
