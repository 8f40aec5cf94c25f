/** Where two answers to one question differ. */
export interface Difference {
  /** As in `rates[2].rate`. */
  at: string
  sold: unknown
  now: unknown
}

const most = 100

export function differences(sold: unknown, now: unknown): Difference[] {
  const found: Difference[] = []
  compare(sold, now, '', found)
  return found.slice(0, most)
}

function compare(sold: unknown, now: unknown, at: string, found: Difference[]): void {
  if (found.length >= most || JSON.stringify(sold) === JSON.stringify(now)) return
  if (!isHeld(sold) || !isHeld(now) || Array.isArray(sold) !== Array.isArray(now)) {
    found.push({ at, sold: sold ?? null, now: now ?? null })
    return
  }
  for (const name of new Set([...Object.keys(sold), ...Object.keys(now)])) {
    const place = Array.isArray(sold) ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`
    compare(sold[name], now[name], place, found)
  }
}

/** A number with all its digits is an object to JavaScript, and a number to JSON. */
const isHeld = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !JSON.isRawJSON(value)
