/** Renews values in demand before they lapse, a few at a time, so that no caller has to wait. */
import type { Waiting } from './clock.ts'

const everyMs = 30_000
const atOnce = 4

export async function renewAhead({
  due,
  renew,
  mayGoOn,
  waiting,
  signal,
}: {
  due: () => string[]
  renew: (name: string) => Promise<unknown>
  mayGoOn: () => boolean
  waiting: Waiting
  signal: AbortSignal
}): Promise<void> {
  for (;;) {
    await waiting.sleep(everyMs, signal)
    if (signal.aborted) return
    const names = due()
    const worker = async () => {
      for (let name = names.shift(); name !== undefined && mayGoOn() && !signal.aborted; name = names.shift())
        await Promise.allSettled([renew(name)])
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }
}
