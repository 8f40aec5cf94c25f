/**
 * The clock of everything that recurs.
 * The first tick comes at once, the others by cron in UTC, and never two at a time.
 */
import { schedule } from 'node-cron'
import type { Running } from './running.ts'

interface Ticking extends Running {
  /** One more tick at once, after the one under way. */
  again(): Promise<void>
}

const backOffMs = { first: 5_000, most: 300_000 }

/**
 * `run` resolves with true after a good tick. It rejects only when we are wrong. After a bad tick the next one comes
 * before its scheduled time, and each further pause is twice as long. So one lost packet does not cost an hourly feed
 * an hour.
 */
export function tick(
  cron: string,
  jitterMs: number,
  run: (signal: AbortSignal) => Promise<boolean>,
): Ticking {
  const stopping = new AbortController()
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  let running: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let bad = 0

  const once = async () => {
    clearTimeout(retry)
    bad = (await run(stopping.signal)) ? 0 : bad + 1
    if (!bad || stopping.signal.aborted) return
    const waitMs = Math.min(backOffMs.first * 2 ** (bad - 1), backOffMs.most) * (0.75 + Math.random() / 2)
    retry = setTimeout(go, waitMs)
  }
  const go = (): Promise<void> => {
    running ??= once()
      .catch(fail)
      .finally(() => {
        running = undefined
      })
    return running
  }

  const task = schedule(cron, go, {
    timezone: 'UTC',
    maxRandomDelay: jitterMs,
    suppressMissedWarning: true,
    logger: { info() {}, warn() {}, error() {}, debug() {} },
  })
  void go()

  return {
    ended,
    async again() {
      await running
      await go()
    },
    async close() {
      stopping.abort(new Error('stopping'))
      clearTimeout(retry)
      await task.destroy()
      await running
      end()
    },
  }
}
