/** The business days of a span that have no rate. A day on which the ECB never publishes is no gap. */
import { dayPlus, isTargetDay } from '../../../../schemas/tables/target-calendar.ts'

export interface RateGap {
  start: string
  end: string
  days: number
  reason: string
}

export function gapsIn(
  { start, end }: { start: string; end: string },
  rated: readonly { date: string }[],
  published: ReadonlySet<string>,
): RateGap[] {
  const there = new Set(rated.map(({ date }) => date))
  const gaps: RateGap[] = []
  let open: RateGap | undefined
  for (let day = start; day <= end; day = dayPlus(day, 1)) {
    if (there.has(day)) open = undefined
    else if (published.has(day) || isTargetDay(day)) {
      const reason = published.has(day) ? 'no rate of the pair was published' : 'no rates were published'
      if (open?.reason === reason) {
        open.end = day
        open.days += 1
      } else {
        open = { start: day, end: day, days: 1, reason }
        gaps.push(open)
      }
    }
  }
  return gaps
}
