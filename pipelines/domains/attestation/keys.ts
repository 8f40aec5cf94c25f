/** The keys that sign attestations, each with its period of validity. A retired key still proves what it signed. */
import { Instant } from '../../../schemas/values/values.ts'
import { keyIdOf } from './signature.ts'

export interface PublicKey {
  key_id: string
  /** In lower case. */
  address: string
  /** Null if the key has no beginning. */
  valid_from: string | null
  /** Null while the key still signs. */
  valid_until: string | null
  revoked_at: string | null
}

/** A former key, as in ATTEST_KEYS. */
export type FormerKey = Omit<PublicKey, 'key_id'>

/**
 * `<address> <from> <until> [<revoked>]`, each time as a day or as RFC 3339 in UTC. Undefined if the text has another
 * form.
 */
export function readFormerKey(text: string): FormerKey | undefined {
  const [address = '', from = '', until = '', revoked, ...rest] = text.trim().split(/\s+/)
  const times = [from, until, revoked].map(time => (time === undefined ? null : readTime(time)))
  const [valid_from, valid_until, revoked_at] = times
  if (!/^0x[0-9a-fA-F]{40}$/.test(address) || rest.length || times.includes(undefined)) return undefined
  if (!valid_from || !valid_until || valid_from >= valid_until) return undefined
  return { address: address.toLowerCase(), valid_from, valid_until, revoked_at: revoked_at ?? null }
}

function readTime(text: string): string | undefined {
  const ms = Date.parse(/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{3})?Z)?$/.test(text) ? text : '')
  return Number.isNaN(ms) ? undefined : Instant.parse(new Date(ms).toISOString())
}

/** The current key comes first. It is valid from the end of the last former key. */
export function keyList(address: string, former: readonly FormerKey[]): PublicKey[] {
  const earlier = former.filter(key => key.address !== address)
  const ends = earlier.map(({ valid_until }) => valid_until ?? '').sort()
  const own = former.find(key => key.address === address)
  const current = own ?? { address, valid_from: ends.at(-1) ?? null, valid_until: null, revoked_at: null }
  return [current, ...earlier].map(key => ({ key_id: keyIdOf(key.address), ...key }))
}

/** Undefined if the key was valid at that time. Else the reason why not. `witnessed` is a time that others confirm. */
export function whyNot(key: PublicKey, at: string, witnessed: string | undefined): string | undefined {
  const { key_id, valid_from, valid_until, revoked_at } = key
  if (valid_from !== null && at < valid_from) return `the key ${key_id} signs from ${valid_from} on`
  if (valid_until !== null && at >= valid_until) return `the key ${key_id} has signed until ${valid_until}`
  if (revoked_at === null) return undefined
  // A thief of the key can write any time into a statement, but not into a time-stamp of others.
  if (witnessed === undefined || witnessed >= revoked_at)
    return `the key ${key_id} was revoked at ${revoked_at}, and no time-stamp shows that it signed before`
  return undefined
}
