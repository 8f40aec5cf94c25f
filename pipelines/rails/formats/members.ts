/** The members of a list that strangers have written, with a turn for other work after each some KB of them. */
import { setImmediate as turn } from 'node:timers/promises'

const turnBytes = 32 << 10
const leastBytes = 8

interface Weighed {
  member: unknown
  /** About as many bytes as its JSON has. Beyond the bound nobody counts on. */
  bytes: number
}

export async function* inTurns(members: readonly unknown[], mostBytes: number): AsyncGenerator<Weighed> {
  let read = 0
  for (const member of members) {
    const bytes = weightOf(member, mostBytes)
    read += bytes
    yield { member, bytes }
    if (read < turnBytes) continue
    read = 0
    await turn()
  }
}

/** Counts until it has more than so many. */
export function weightOf(value: unknown, mostBytes: number): number {
  let bytes = leastBytes
  if (typeof value === 'string') return bytes + value.length
  if (typeof value !== 'object' || value === null) return bytes
  if (Array.isArray(value)) {
    for (const each of value) {
      if (bytes > mostBytes) break
      bytes += weightOf(each, mostBytes - bytes)
    }
    return bytes
  }
  for (const name in value) {
    if (bytes > mostBytes) break
    bytes += name.length + weightOf((value as Record<string, unknown>)[name], mostBytes - bytes)
  }
  return bytes
}
