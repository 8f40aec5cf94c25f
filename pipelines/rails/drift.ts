/** Notices that an upstream's records do not look as we know them, so that an operator hears of it before a caller does. */

export interface Drift {
  /** unknown: a new field; vanished: no record has the field; type: a value of another type; set: what belongs to a set. */
  kind: 'unknown' | 'vanished' | 'type' | 'set'
  what: string
  /** The beginning of a value that shows it. */
  sample: string
}

/** The types of each field, such as `string|null`. With `?` at the end a record may be without it. */
export type KnownTypes = Readonly<Record<string, string>>

const longestSample = 200

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const sampleOf = (value: unknown): string => JSON.stringify(value)?.slice(0, longestSample) ?? ''

/** Each drift is told once, however many records show it. */
export function driftOf(known: KnownTypes, records: readonly unknown[]): Drift[] {
  const drifts = new Map<string, Drift>()
  const seen = new Set<string>()
  const objects = records.filter(record => typeOf(record) === 'object') as Record<string, unknown>[]
  for (const record of objects)
    for (const [what, value] of Object.entries(record)) {
      seen.add(what)
      const types = known[what]?.replace('?', '').split('|')
      const kind = !types ? 'unknown' : types.includes(typeOf(value)) ? undefined : 'type'
      if (kind && !drifts.has(what)) drifts.set(what, { kind, what, sample: sampleOf(value) })
    }
  if (objects.length)
    for (const [what, types] of Object.entries(known))
      if (!types.endsWith('?') && !seen.has(what))
        drifts.set(what, { kind: 'vanished', what, sample: sampleOf(objects[0]) })
  return [...drifts.values()]
}

/** What has come to a set and what has left it since the last time. */
export function setDrift(what: string, before: readonly string[], now: readonly string[]): Drift[] {
  const came = now.filter(one => !before.includes(one)).map(one => `+${one}`)
  const left = before.filter(one => !now.includes(one)).map(one => `-${one}`)
  const sample = [...came, ...left].join(' ').slice(0, longestSample)
  return sample ? [{ kind: 'set', what, sample }] : []
}
