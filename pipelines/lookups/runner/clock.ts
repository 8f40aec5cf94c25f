/** The clock of the lookups: the clock of the process, or one that a test moves. */
export interface Waiting {
  now(): number
  /** Resolves after `ms`, or when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const waitingBy = (now: () => number): Waiting => ({
  now,
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end, { once: true })
    }),
})

/** Rejects with `late()` after `ms`. The work itself goes on. */
export async function within<T>(
  begun: Promise<T>,
  ms: number,
  waiting: Waiting,
  late: () => Error,
): Promise<T> {
  const done = new AbortController()
  try {
    return await Promise.race([
      begun,
      waiting.sleep(ms, done.signal).then(() => (done.signal.aborted ? begun : Promise.reject(late()))),
    ])
  } finally {
    done.abort()
  }
}
