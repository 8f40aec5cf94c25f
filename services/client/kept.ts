/**
 * A payment that was signed and whose answer is not here yet. It is kept before it is sent, so that whoever is interrupted
 * presents it again and does not pay twice. It holds no key of a wallet; until it is settled or dead it is as good as the
 * amount it names to whoever reads it.
 */
import { createHash } from 'node:crypto'
import { networks } from './networks.ts'

export interface Kept {
  url: string
  path: string
  question: object
  /** The Idempotency-Key. */
  key: string
  payment: string
  network: string
  /** In USDC's smallest unit. */
  amount: string
  signedAt: string
  /** No chain takes it after this. */
  deadAt: string
  /** What the seller said last. */
  said?: { code: string; charged: boolean | null; keptUntil?: string }
}

/** Why a record goes. answered: the answer is here. gone: it can be had no longer. dead: it was not taken, and cannot be. */
export type Ending = 'answered' | 'gone' | 'dead'

/** Keeps the open payments of each address, path and question, under names that are the same for the same three. */
export interface Keep {
  get(name: string): Kept | undefined | Promise<Kept | undefined>
  /** It is on the disk, or wherever it is safe, before this ends. `first`: false, and nothing done, where there is one. */
  put(name: string, kept: Kept, first: boolean): boolean | Promise<boolean>
  delete(name: string, why: Ending): void | Promise<void>
}

export const nameOf = (url: string, path: string, question: object): string =>
  createHash('sha256')
    .update(JSON.stringify([url, path, ordered(question)]))
    .digest('hex')

/**
 * The names of a question's payments: the first one, and those that follow on other networks where it is refused. A question has no
 * more payments than there are networks.
 */
export function namesOf(url: string, path: string, question: object): string[] {
  const first = nameOf(url, path, question)
  const others = networks.slice(1).map((_, at) => `${first} ${at + 1}`)
  return [first, ...others.map(name => createHash('sha256').update(name).digest('hex'))]
}

/** The same question with its fields in another order is the same. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return fields.map(([name, each]) => [name, ordered(each)])
}

/** A transaction of Solana names a block, and lives for about a minute. */
const solanaLifeMs = 3 * 60_000
/** The clocks of payer, seller and chain differ by less. */
const clocksMs = 60_000
/** A seller of ours keeps an answer that was not delivered for seven days. */
const longestMs = 8 * 24 * 60 * 60_000

export function deadAtOf(payload: object, network: string, signedMs: number): string {
  const { authorization } = payload as { authorization?: { validBefore?: string } }
  const isEvm = networks.find(({ id }) => id === network)?.domain !== undefined
  const deadMs = isEvm ? Number(authorization?.validBefore) * 1000 : signedMs + solanaLifeMs
  return new Date(deadMs).toISOString()
}

/** Whether the chain takes it no more, whatever clock is asked. */
export const isDead = ({ deadAt }: Kept, now = Date.now()): boolean => now > Date.parse(deadAt) + clocksMs

/** Why nothing is to be had for it any more. Undefined: it may be worth its answer still. */
export function endingOf(kept: Kept, now = Date.now()): Exclude<Ending, 'answered'> | undefined {
  if (kept.said?.charged === false && isDead(kept, now)) return 'dead'
  const latest = Date.parse(kept.signedAt) + longestMs
  const until = Math.min(Date.parse(kept.said?.keptUntil ?? '') || latest, latest)
  return now > until && isDead(kept, now) ? 'gone' : undefined
}
