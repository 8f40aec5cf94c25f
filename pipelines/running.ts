/** Whatever runs until it is closed: a sink, a clock, the lookups, the whole service. */
export interface Running {
  /** Rejects as soon as it can no longer do its work; resolves after `close`. */
  readonly ended: Promise<unknown>
  /** Lets what is in hand end, then resolves. */
  close(): Promise<void>
}

/** Several as one: it ends badly when one of them does. */
export const together = (parts: readonly Running[]): Running => ({
  ended: Promise.all(parts.map(part => part.ended)),
  close: async () => {
    await Promise.all(parts.map(part => part.close()))
  },
})
