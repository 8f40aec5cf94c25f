/** Answers the requests of a dataset as they arrive, and writes their outcome. */
import type { RequestOutcome, RequestReply, Requests } from '../../schemas/requests.ts'
import { instant } from '../../schemas/values/values.ts'
import { UpstreamFailed } from './failures.ts'
import type { Log } from './log/log.ts'
import type { Outside } from './outside/upstreams/outside.ts'
import type { Running } from './running.ts'

/** Asks another role for work that this process must not do itself. */
export type Ask = <Asked>(requests: Requests<Asked>, asked: Asked) => Promise<RequestReply<Asked>>

interface AnsweringOptions<Asked> {
  log: Log
  outside: (signal: AbortSignal) => Outside
  now: () => number
  onFailed: (name: string, error: unknown) => void
  /** False if there is no such thing. Everything it loads is in the log before it resolves. */
  load(asked: Asked, outside: Outside): Promise<boolean>
}

/** A caller who asked longer ago no longer waits. */
const stillWantedMs = 60_000
const timeoutMs = 60_000

export async function answerRequests<Asked>(
  requests: Requests<Asked>,
  { log, outside, now, onFailed, load }: AnsweringOptions<Asked>,
): Promise<Running> {
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const world = () => outside(AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]))

  /** A request does not wait for a slow one before it. Only the upstream's rate decides the order. */
  const following = await log.follow(requests.topic, requests.name, batch => {
    for (const { value, at } of batch) {
      const asked = requests.read(value)
      if (asked?.state === 'asked' && now() - at < stillWantedMs)
        run(requests.nameOf(asked), () => answer(asked))
    }
  })

  function run(name: string, work: () => Promise<void>): void {
    if (running.has(name)) return
    running.set(
      name,
      work().finally(() => running.delete(name)),
    )
  }

  async function answer(asked: RequestReply<Asked>): Promise<void> {
    try {
      const loaded = await load(asked, world())
      await reply(asked, loaded ? 'loaded' : 'unknown', null)
    } catch (error) {
      if (stopping.signal.aborted) return
      // The world fails: the caller gets a free error and may ask again.
      onFailed(requests.name, error)
      const reason = error instanceof UpstreamFailed ? error.message : 'it could not be fetched'
      await reply(asked, 'failed', reason).catch(problem => onFailed(requests.name, problem))
    }
  }

  async function reply(
    asked: RequestReply<Asked>,
    state: RequestOutcome['state'],
    reason: string | null,
  ): Promise<void> {
    const event = { ...asked, state, reason, at: instant(now()) }
    await log.append(requests.topic, [{ key: requests.keyOf(event), value: JSON.stringify(event) }])
  }

  return {
    ended: following.ended,
    close: async () => {
      stopping.abort(new Error('stopping'))
      await following.close()
      await Promise.all(running.values())
    },
  }
}
