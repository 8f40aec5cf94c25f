/** Reads the day out of the ways in which upstreams write it. */
import { instant } from '../../../schemas/values/values.ts'

const dayMs = 86_400_000
const isoDay = (at: number): string => instant(at).slice(0, 10)
const units: Record<string, number> = {
  second: 1_000,
  sec: 1_000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  hr: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
}
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** Null: it names no day. Months and years ago are counted back from today. */
export function dayOf(text: string | null | undefined, now: number): string | null {
  const written = (text ?? '').trim().toLowerCase()
  if (!written) return null
  if (/^(?:just )?now$|^today/.test(written)) return isoDay(now)
  if (/^yesterday/.test(written)) return isoDay(now - dayMs)
  const [, count = '', unit = ''] = /^(\d{1,4}|an?) (\w+?)s? ago$/.exec(written) ?? []
  if (unit) return ago(Number(count) || 1, unit, now)
  const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(written)
  if (iso) return valid(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const american = /^([a-z]{3})[a-z]*\.? (\d{1,2}),? (\d{4})/.exec(written)
  if (american) return valid(Number(american[3]), monthOf(american[1]), Number(american[2]))
  const european = /^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?,? (\d{4})/.exec(written)
  if (european) return valid(Number(european[3]), monthOf(european[2]), Number(european[1]))
  return null
}

function ago(count: number, unit: string, now: number): string | null {
  const ms = units[unit]
  if (ms !== undefined) return isoDay(now - count * ms)
  if (unit !== 'month' && unit !== 'mo' && unit !== 'year' && unit !== 'yr') return null
  const today = new Date(now)
  const back = unit.startsWith('y') ? count * 12 : count
  const month = today.getUTCMonth() - back
  const last = new Date(Date.UTC(today.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return isoDay(Date.UTC(today.getUTCFullYear(), month, Math.min(today.getUTCDate(), last)))
}

const monthOf = (name = ''): number => months.indexOf(name) + 1

/** Null: there is no such day. */
function valid(year: number, month: number, day: number): string | null {
  const at = Date.UTC(year, month - 1, day)
  const date = new Date(at)
  return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? isoDay(at) : null
}
