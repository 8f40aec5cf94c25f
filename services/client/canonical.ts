/** Canonical JSON (RFC 8785), in which the seller hashes questions and answers: it is the same after anybody has parsed and rewritten it. */

/** Throws where there is no such form: half of a surrogate pair, a number without an end, or a nest that is too deep. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      // By UTF-16 units, as the comparison of JavaScript is.
      .sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, each]) => `${canonical(name)}:${canonical(each)}`).join(',')}}`
  }
  const isText = typeof value === 'string'
  if (isText ? /\p{Surrogate}/u.test(value) : typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError('it has no canonical form')
  return JSON.stringify(value) ?? 'null'
}
