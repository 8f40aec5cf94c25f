import type { Log } from '../pipelines/rails/log/log.ts'

/** The same log with changes. A log is a class with private fields, so what is unchanged must be called on the log itself. */
export const sameLog = (log: Log, changes: Partial<Log>): Log => ({
  isOwned: log.isOwned,
  append: (...asked) => log.append(...asked),
  follow: (...asked) => log.follow(...asked),
  watch: (...asked) => log.watch(...asked),
  end: topic => log.end(topic),
  lag: (...asked) => log.lag(...asked),
  lags: (...asked) => log.lags(...asked),
  condition: () => log.condition(),
  close: () => log.close(),
  ...changes,
})
