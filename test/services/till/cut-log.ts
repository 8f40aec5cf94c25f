/** The log of an instance that may lose its brokers: nothing of it is written, and it hears nothing more. */
import { type Log, shared } from './till-options.ts'

export interface CutLog {
  log: Log
  /** What fails now. `isLost`: is this record lost on its way? */
  state: { isWritten: boolean; isHeard: boolean; isLost(value: string): boolean }
  heal(): void
}

export function cutLog(log: Log): CutLog {
  const seen = shared(log)
  const state: CutLog['state'] = { isWritten: true, isHeard: true, isLost: () => false }
  const held: (() => void)[] = []
  const noBroker = () => Promise.reject(new Error('no broker'))
  return {
    state,
    log: {
      ...seen,
      append: (topic, entries) =>
        !state.isWritten || entries.some(({ value }) => state.isLost(String(value)))
          ? noBroker()
          : seen.append(topic, entries),
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
      Object.assign(state, { isWritten: true, isHeard: true, isLost: () => false })
      for (const goOn of held.splice(0)) goOn()
    },
  }
}
