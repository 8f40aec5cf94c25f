/** Free calls without a wallet: a fixed number a day for each caller. The log counts them, across instances and restarts. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Log, Received, Watching } from '../../../pipelines/rails/log/log.ts'
import type { Running } from '../../../pipelines/rails/running.ts'
import { Tally } from '../../../pipelines/rails/tally.ts'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { type McpTrial, mcpTrials } from '../../../schemas/mcp-trials.ts'
import { instant } from '../../../schemas/values/values.ts'
import { Failure } from '../../offer/errors.ts'

export const freeCallsADay = 3
/** A failed call is given back, but its work is not free for us. */
const failuresADay = 30

interface Trial {
  /** The caller's remaining free calls today. */
  left: number
  giveBack(): Promise<void>
}

interface Day {
  secret: PromiseWithResolvers<string>
  asked: boolean
  /** The calls that each caller has taken. */
  taken: Map<string, Set<string>>
  failures: Tally
  all: number
  failed: number
}

interface TrialsOptions {
  log: Log
  now: () => number
  /** The limit for all callers together. */
  mostADay: number
}

export class Trials implements Running {
  readonly #options: TrialsOptions
  readonly #days = new Map<string, Day>()
  /** Our own calls that are not read back yet. */
  readonly #unread = new Map<string, PromiseWithResolvers<number | undefined>>()
  #watching!: Watching
  #ended = false

  private constructor(options: TrialsOptions) {
    this.#options = options
  }

  static async open(options: TrialsOptions): Promise<Trials> {
    const trials = new Trials(options)
    trials.#watching = await options.log.watch(mcpTrials.topic, batch => trials.#read(batch))
    const end = () => trials.#end()
    trials.#watching.ended.then(end, end)
    await trials.#watching.caughtUp
    return trials
  }

  get ended(): Promise<void> {
    return this.#watching.ended
  }

  close(): Promise<void> {
    return this.#watching.close()
  }

  async left(asking: string): Promise<number> {
    const { day, name } = this.#today()
    return this.#leftOf(day, await this.#callerOf(asking, day, name))
  }

  /** Says why there is no free call, to a caller who got none. */
  async whyNone(asking: string): Promise<string> {
    const { day, name } = this.#today()
    const taken = day.taken.get(await this.#callerOf(asking, day, name))?.size ?? 0
    const whose =
      taken >= freeCallsADay
        ? `Your ${freeCallsADay} free calls of today are used`
        : 'No free calls are left today'
    return `${whose}; there are new ones at 00:00 UTC`
  }

  /** Takes a free call. Resolves with undefined if none is left. Rejects with the free 503 log_unavailable. */
  async take(asking: string): Promise<Trial | undefined> {
    const { day, name } = this.#today()
    const caller = await this.#callerOf(asking, day, name)
    if (this.#leftOf(day, caller) === 0) return undefined
    const call = randomUUID()
    const taken = Promise.withResolvers<number | undefined>()
    this.#unread.set(call, taken)
    try {
      await this.#append({ day: name, caller, call, what: 'take', secret: null })
      const left = await taken.promise
      if (left === undefined) return undefined
      const giveBack = () => this.#append({ day: name, caller, call, what: 'give back', secret: null })
      return { left, giveBack }
    } finally {
      this.#unread.delete(call)
    }
  }

  #leftOf(day: Day, caller: string): number {
    // Failed calls are given back, so they have a limit of their own. It bounds the work for countless callers.
    const { mostADay } = this.#options
    const spent = day.all >= mostADay || day.failed >= mostADay || day.failures.of(caller) >= failuresADay
    return spent ? 0 : Math.max(0, freeCallsADay - (day.taken.get(caller)?.size ?? 0))
  }

  #today(): { name: string; day: Day } {
    const name = instant(this.#options.now()).slice(0, 10)
    return { name, day: this.#dayOf(name) }
  }

  #dayOf(name: string): Day {
    const known = this.#days.get(name)
    if (known) return known
    const secret = Promise.withResolvers<string>()
    secret.promise.catch(() => {})
    const day = { secret, asked: false, taken: new Map(), failures: new Tally(), all: 0, failed: 0 }
    this.#days.set(name, day)
    for (const oldest of [...this.#days.keys()].sort().slice(0, -2)) this.#days.delete(oldest)
    return day
  }

  /** Every instance may propose a secret for the day. The first one in the log counts. */
  async #callerOf(asking: string, day: Day, name: string): Promise<string> {
    if (!day.asked) {
      day.asked = true
      const secret = randomBytes(32).toString('hex')
      try {
        await this.#append({ day: name, caller: 'secret', call: randomUUID(), what: 'secret', secret })
      } catch (error) {
        day.asked = false
        throw error
      }
    }
    return createHmac('sha256', await day.secret.promise)
      .update(asking)
      .digest('hex')
  }

  async #append(event: McpTrial): Promise<void> {
    try {
      if (this.#ended) throw new Error('free calls are no longer read')
      const value = JSON.stringify(mcpTrials.event.parse(event))
      await this.#options.log.append(mcpTrials.topic, [{ key: mcpTrials.keyOf(event), value }])
    } catch {
      throw unavailable()
    }
  }

  #read(batch: readonly Received[]): void {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(mcpTrials, value)
      if (event) this.#judge(event)
    }
  }

  /** Every instance decides alike, because the records of a caller have one order. */
  #judge({ day: name, caller, call, what, secret }: McpTrial): void {
    const day = this.#dayOf(name)
    if (what === 'secret') {
      day.asked = true
      day.secret.resolve(secret ?? '')
      return
    }
    const taken = day.taken.get(caller) ?? new Set()
    if (what === 'take') {
      const granted = taken.size < freeCallsADay
      if (granted) {
        day.taken.set(caller, taken.add(call))
        day.all++
      }
      this.#unread.get(call)?.resolve(granted ? freeCallsADay - taken.size : undefined)
    } else if (taken.delete(call)) {
      day.all--
      day.failed++
      day.failures.add(caller)
    }
  }

  /** Ends the waiting: nobody will read our calls back. */
  #end(): void {
    this.#ended = true
    for (const { reject, promise } of [
      ...this.#unread.values(),
      ...[...this.#days.values()].map(({ secret }) => secret),
    ]) {
      promise.catch(() => {})
      reject(unavailable())
    }
  }
}

const unavailable = () => new Failure('log_unavailable', undefined, { 'Retry-After': '5' })
