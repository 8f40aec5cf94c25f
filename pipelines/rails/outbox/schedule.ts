/** When the next attempt is due: the schedule of Standard Webhooks, plus or minus a fifth. */
const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

/** The pause before each attempt after the first. */
export const pausesMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

/** After this time, an event without a single attempt is given up. */
export const mostAgeMs = 1.2 * pausesMs.reduce((sum, ms) => sum + ms, 0)

/** Undefined if there is no further attempt. */
export function nextAt(
  attempts: number,
  now: number,
  patienceMs = 0,
  random = Math.random(),
): number | undefined {
  const pauseMs = pausesMs[attempts - 1]
  return pauseMs === undefined
    ? undefined
    : now + Math.max(patienceMs, Math.round(pauseMs * (0.8 + 0.4 * random)))
}
