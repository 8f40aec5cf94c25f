/** Asks the ingest role to fetch a company now, and waits until what it brought can be looked up here. */

import { UpstreamFailed } from '../../pipelines/failures.ts'
import type { Log, Received, Watching } from '../../pipelines/log/log.ts'
import { readEvent } from '../../schemas/dataset.ts'
import { type SecRequest, secRequests } from '../../schemas/sec-requests.ts'
import { instant } from '../../schemas/values.ts'
import type { LookedUp } from './looked-up.ts'

type Asked = Pick<SecRequest, 'cik' | 'what'>

/** By then nobody who asked is waiting any more, and whoever asks next asks anew. */
const patienceMs = 30_000
/** A filer that EDGAR does not know is not asked about again for so long. */
const unknownMs = 600_000
const mostUnknown = 10_000

export async function openAsking(log: Log, lookedUp: LookedUp, now: () => number): Promise<Asking> {
  const asking = new Asking(log, lookedUp, now)
  await asking.open()
  return asking
}

export class Asking {
  readonly #log: Log
  readonly #lookedUp: LookedUp
  readonly #now: () => number
  readonly #waiting = new Map<string, { reply: Promise<SecRequest>; resolve(reply: SecRequest): void }>()
  readonly #unknown = new Map<string, { reply: SecRequest; until: number }>()
  #watching: Watching | undefined

  constructor(log: Log, lookedUp: LookedUp, now: () => number) {
    this.#log = log
    this.#lookedUp = lookedUp
    this.#now = now
  }

  async open(): Promise<void> {
    this.#watching = await this.#log.watch(secRequests.topic, batch => this.#take(batch), { from: 'end' })
  }

  get ended(): Promise<unknown> {
    return this.#watching?.ended ?? Promise.resolve()
  }

  /** However many ask for the same at once, it is asked for once. */
  readonly ask = (asked: Asked): Promise<SecRequest> => {
    const name = nameOf(asked)
    const unknown = this.#unknown.get(name)
    if (unknown && this.#now() < unknown.until) return Promise.resolve(unknown.reply)
    return this.#waiting.get(name)?.reply ?? this.#ask(name, asked)
  }

  async close(): Promise<void> {
    await this.#watching?.close()
  }

  #ask(name: string, { cik, what }: Asked): Promise<SecRequest> {
    const { promise, resolve, reject } = Promise.withResolvers<SecRequest>()
    // Whoever waits hears of it through `reply`.
    promise.catch(() => {})
    const timer = setTimeout(() => reject(new UpstreamFailed(`nobody fetched ${name}`)), patienceMs)
    const asked = { cik, what, state: 'asked', at: instant(this.#now()), reason: null } as const
    const reply = (async () => {
      this.#lookedUp.listen(cik)
      await this.#log.append(secRequests.topic, [
        { key: secRequests.keyOf(asked), value: JSON.stringify(asked) },
      ])
      const reply = await promise
      await this.#lookedUp.heard()
      return reply
    })().finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(name)
    })
    this.#waiting.set(name, { reply, resolve })
    return reply
  }

  #take(batch: readonly Received[]): void {
    for (const { value } of batch) {
      const { event } = value === null ? {} : readEvent(secRequests, value)
      if (!event || event.state === 'asked') continue
      const name = nameOf(event)
      if (event.state === 'unknown') this.#remember(name, event)
      this.#waiting.get(name)?.resolve(event)
    }
  }

  #remember(name: string, reply: SecRequest): void {
    this.#unknown.delete(name)
    this.#unknown.set(name, { reply, until: this.#now() + unknownMs })
    for (const oldest of this.#unknown.keys()) {
      if (this.#unknown.size <= mostUnknown) return
      this.#unknown.delete(oldest)
    }
  }
}

const nameOf = ({ cik, what }: Asked): string => `${what} ${cik}`
