/** Reads the span of days that a question asks about. */
import { IsoDate, instant } from '../../../../schemas/values/values.ts'
import type { Refusal } from '../../../offer/operation.ts'

export const dayAsked = IsoDate.nullish()

export const spanRefusals = {
  invalid_span: { status: 400, about: 'The days are in no order, ahead, or too many' },
} satisfies Record<string, Refusal>

interface SpanAsked {
  from?: string | null | undefined
  to?: string | null | undefined
}

const dayMs = 86_400_000

export function spanOf(
  { from, to }: SpanAsked,
  { now, defaultDays, mostDays }: { now: number; defaultDays: number; mostDays: number },
  refuse: (code: keyof typeof spanRefusals, message: string) => never,
): { from: string; to: string; days: string[] } {
  const today = instant(now).slice(0, 10)
  const last = Date.parse(to ?? today)
  const first = from ? Date.parse(from) : last - (defaultDays - 1) * dayMs
  const count = (last - first) / dayMs + 1
  if (count < 1) refuse('invalid_span', 'The first day comes after the last one')
  if (first > Date.parse(today)) refuse('invalid_span', 'These days are still to come')
  if (count > mostDays) refuse('invalid_span', `Ask for at most ${mostDays} days at once`)
  const days = Array.from({ length: count }, (_, i) => instant(first + i * dayMs).slice(0, 10))
  return { from: days[0] ?? today, to: days.at(-1) ?? today, days }
}
