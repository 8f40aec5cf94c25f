/** Something that runs until it is closed: a sink, a clock, the lookups, the whole service. */
export interface Running {
  /** Rejects as soon as it can no longer do its work. Resolves after `close`. */
  readonly ended: Promise<unknown>
  /** Finishes the work in progress, then resolves. */
  close(): Promise<void>
}

/** Joins several into one, which fails when one of them fails. */
export const together = (parts: readonly Running[]): Running => ({
  ended: Promise.all(parts.map(part => part.ended)),
  close: async () => {
    await Promise.all(parts.map(part => part.close()))
  },
})
