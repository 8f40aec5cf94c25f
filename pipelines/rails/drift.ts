/** Notices when the records of an upstream change their form, so that an operator hears of it before a caller does. */

import { weightOf } from './formats/members.ts'

export interface Drift {
  /**
   * unknown: a new field; vanished: a field that no record has; type: a value of another type; set: a member that
   * came or left.
   */
  kind: 'unknown' | 'vanished' | 'type' | 'set'
  what: string
  /** The beginning of an example value. */
  sample: string
}

/** The types of each field, such as `string|null`. A `?` at the end means that a record may lack the field. */
export type KnownTypes = Readonly<Record<string, string>>

const longestSample = 200

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Beyond it nobody writes the whole of a value to show its beginning. */
const mostWritten = 10_000

function sampleOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, longestSample)).slice(0, longestSample)
  if (weightOf(value, mostWritten) > mostWritten) return `a long ${typeOf(value)}`
  return JSON.stringify(value)?.slice(0, longestSample) ?? ''
}

/** Reports each drift once, however many records show it. */
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

/** Reports the members that came to a set and that left it since the last time. */
export function setDrift(what: string, before: readonly string[], now: readonly string[]): Drift[] {
  const came = now.filter(one => !before.includes(one)).map(one => `+${one}`)
  const left = before.filter(one => !now.includes(one)).map(one => `-${one}`)
  const sample = [...came, ...left].join(' ').slice(0, longestSample)
  return sample ? [{ kind: 'set', what, sample }] : []
}
