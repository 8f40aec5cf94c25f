/** Reads JSON of strangers. A value of a wrong type counts as absent. */
export const recordOf = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''

export const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** Sellers write ISO 8601, or seconds or milliseconds since 1970. */
export function momentOf(value: unknown): string | null {
  const text = textOf(value)
  const number = /^\d{9,13}$/.test(text) ? Number(text) : undefined
  const ms = number === undefined ? Date.parse(text) : number < 1e11 ? number * 1000 : number
  return ms > 0 && ms < 4e12 ? new Date(ms).toISOString() : null
}
