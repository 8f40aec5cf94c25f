/** Asks the ingest role to fetch something now, and waits until this process can look up what it fetched. */
import { Bounded } from '../../pipelines/rails/bounded.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import type { Log, Received, Watching } from '../../pipelines/rails/log/log.ts'
import type { Ask } from '../../pipelines/rails/requests.ts'
import { type Running, together } from '../../pipelines/rails/running.ts'
import type { RequestReply, Requests } from '../../schemas/requests.ts'
import { instant } from '../../schemas/values/values.ts'
import type { LookedUp } from './looked-up.ts'

/** The longest wait for a reply. The next caller starts a new request. */
const patienceMs = 30_000
/** For this time an unknown thing is not requested again. */
const unknownMs = 600_000
const mostUnknown = 10_000

interface Requesting extends Running {
  ask: Ask
}

interface RequestingOptions {
  log: Log
  lookedUp: LookedUp
  now: () => number
}

export async function openRequests(
  all: readonly Requests[],
  options: RequestingOptions,
): Promise<Requesting> {
  const opened = new Map(all.map(requests => [requests as Requests, new OpenRequests(requests, options)]))
  const watching = await Promise.all([...opened.values()].map(one => one.open()))
  return {
    ask: async (requests, asked) => {
      const open = opened.get(requests as Requests) as OpenRequests<typeof asked> | undefined
      if (!open) throw new Error(`the requests ${requests.name} are not open in this process`)
      return open.ask(asked)
    },
    ...together(watching),
  }
}

class OpenRequests<Asked> {
  readonly #requests: Requests<Asked>
  readonly #options: RequestingOptions
  readonly #waiting = new Map<
    string,
    { reply: Promise<RequestReply<Asked>>; resolve(reply: RequestReply<Asked>): void }
  >()
  readonly #unknown = new Bounded<{ reply: RequestReply<Asked>; until: number }>({ most: mostUnknown })

  constructor(requests: Requests<Asked>, options: RequestingOptions) {
    this.#requests = requests
    this.#options = options
  }

  open(): Promise<Watching> {
    return this.#options.log.watch(this.#requests.topic, batch => this.#take(batch), { from: 'end' })
  }

  /** Makes one request for all callers who ask for the same thing at once. */
  ask(asked: Asked): Promise<RequestReply<Asked>> {
    const name = this.#requests.nameOf(asked)
    const unknown = this.#unknown.peek(name)
    if (unknown && this.#options.now() < unknown.until) return Promise.resolve(unknown.reply)
    return this.#waiting.get(name)?.reply ?? this.#ask(name, asked)
  }

  #ask(name: string, asked: Asked): Promise<RequestReply<Asked>> {
    const { log, lookedUp, now } = this.#options
    const { topic, key, keyOf } = this.#requests
    const { promise, resolve, reject } = Promise.withResolvers<RequestReply<Asked>>()
    // Callers get the failure through `reply`.
    promise.catch(() => {})
    const timer = setTimeout(
      () => reject(new UpstreamFailed(`the ingest role did not fetch ${name} in time`)),
      patienceMs,
    )
    const event = { ...asked, state: 'asked', at: instant(now()), reason: null } as const
    const reply = (async () => {
      lookedUp.listen(...key.map(column => (event as Record<string, unknown>)[column] as string | number))
      await log.append(topic, [{ key: keyOf(event), value: JSON.stringify(event) }])
      const reply = await promise
      await lookedUp.heard()
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
      const event = this.#requests.read(value)
      if (!event || event.state === 'asked') continue
      const name = this.#requests.nameOf(event)
      if (event.state === 'unknown')
        this.#unknown.set(name, { reply: event, until: this.#options.now() + unknownMs })
      this.#waiting.get(name)?.resolve(event)
    }
  }
}
