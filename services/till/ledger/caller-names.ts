/**
 * The names of first callers in promises. IPv4 has few addresses, so a plain hash of one could be found by trying all. These names
 * are keyed with a secret from a topic of its own, which is deleted after two days. From then on an address proves nothing.
 */
import { randomBytes } from 'node:crypto'
import { eventsIn } from '../../../pipelines/rails/log/events.ts'
import type { Log, Watching } from '../../../pipelines/rails/log/log.ts'
import { sha256Behind } from '../../../pipelines/rails/signing/sha256.ts'
import { type TillSecret, tillSecrets } from '../../../schemas/till-secrets.ts'
import { nobody } from '../till.ts'

interface CallerNamesOptions {
  log: Log
  now: () => number
  /** A clock that nobody can set. */
  uptime: () => number
  onError(error: unknown): void
}

interface Secret {
  text: string
  /** By the clock that nobody can set. */
  madeAt: number
}

const freshMs = 24 * 60 * 60_000
/** By then every instance has read it. */
const sharedMs = 30_000
/** Instances that start together may each make a secret. */
const mostSecrets = 8
/** The pause before another attempt. */
const pauseMs = 60_000

export class CallerNames {
  readonly #options: CallerNamesOptions
  /** The oldest first, in the order of the log. */
  #secrets: Secret[] = []
  #watching!: Watching
  #nextAt = Number.NEGATIVE_INFINITY
  /** Records from now on are new, whatever our date says. */
  #isAlong = false

  private constructor(options: CallerNamesOptions) {
    this.#options = options
  }

  static async open(options: CallerNamesOptions): Promise<CallerNames> {
    const { log } = options
    const names = new CallerNames(options)
    names.#watching = await log.watch(tillSecrets.topic, batch => {
      for (const { event, record } of eventsIn(tillSecrets, batch)) names.#hear(event, record.at)
    })
    await names.#watching.caughtUp
    names.#isAlong = true
    // A sale does not need the caller's name.
    await names.keep().catch(options.onError)
    await names.#watching.reached(await log.end(tillSecrets.topic))
    return names
  }

  get ended(): Promise<void> {
    return this.#watching.ended
  }

  close(): Promise<void> {
    return this.#watching.close()
  }

  /** Names a caller for this payment only. Null if there is no secret. */
  of(spendId: string, caller: string): string | null {
    const before = this.#options.uptime() - sharedMs
    // Every start reads all secrets, so all instances have the oldest one.
    const secret = this.#secrets.findLast(({ madeAt }) => madeAt <= before) ?? this.#secrets[0]
    return secret && caller !== nobody ? nameWith(secret, spendId, caller) : null
  }

  /** Does the promise for this payment name this caller? */
  is(name: string | null, spendId: string, caller: string): boolean {
    if (name === null || caller === nobody) return false
    return this.#secrets.some(secret => nameWith(secret, spendId, caller) === name)
  }

  /** Makes a new secret once the newest one is a day old. */
  async keep(): Promise<void> {
    const { log, uptime } = this.#options
    const newest = this.#secrets.at(-1)
    const at = uptime()
    if (at < this.#nextAt || (newest && at < newest.madeAt + freshMs)) return
    this.#nextAt = at + pauseMs
    const event: TillSecret = { use: 'caller', secret: randomBytes(32).toString('hex') }
    await log.append(tillSecrets.topic, [{ key: tillSecrets.keyOf(event), value: JSON.stringify(event) }])
  }

  #hear({ secret: text }: TillSecret, at: number): void {
    const { now, uptime } = this.#options
    if (this.#secrets.some(known => known.text === text)) return
    const ageMs = this.#isAlong ? 0 : Math.min(Math.max(0, now() - at), freshMs)
    this.#secrets = [...this.#secrets, { text, madeAt: uptime() - ageMs }].slice(-mostSecrets)
  }
}

const nameWith = ({ text }: Secret, spendId: string, caller: string): string =>
  sha256Behind(text, JSON.stringify([spendId, caller]))
