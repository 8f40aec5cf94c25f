/** The log of an instance that may lose its brokers: nothing of it is written, and it hears nothing more. */
import { type Log, shared } from './till-options.ts'

export interface CutLog {
  log: Log
  /** What fails now. `isLost`: is this record lost on its way? `isUntold`: is it written, and nobody told so? */
  state: {
    isWritten: boolean
    isHeard: boolean
    isLost(value: string): boolean
    isUntold(value: string): boolean
  }
  heal(): void
}

export function cutLog(log: Log): CutLog {
  const seen = shared(log)
  const well = { isWritten: true, isHeard: true, isLost: () => false, isUntold: () => false }
  const state: CutLog['state'] = { ...well }
  const held: (() => void)[] = []
  const noBroker = () => Promise.reject(new Error('no broker'))
  return {
    state,
    log: {
      ...seen,
      async append(topic, entries) {
        const is = (what: (value: string) => boolean) => entries.some(({ value }) => what(String(value)))
        if (!state.isWritten || is(state.isLost)) return noBroker()
        await seen.append(topic, entries)
        if (is(state.isUntold)) return noBroker()
      },
      end: topic => (state.isWritten ? seen.end(topic) : noBroker()),
      watch: (topic, hear, ...more) =>
        seen.watch(
          topic,
          async batch => {
            if (!state.isHeard) await new Promise<void>(resolve => held.push(resolve))
            return hear(batch)
          },
          ...more,
        ),
    },
    heal() {
      Object.assign(state, well)
      for (const goOn of held.splice(0)) goOn()
    },
  }
}
