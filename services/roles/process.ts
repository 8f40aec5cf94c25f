/** What every role is given: the parts of the process that it is opened into. */
import type { Log } from '../../pipelines/log/log.ts'
import type { Outside } from '../../pipelines/outside/outside.ts'
import type { Store } from '../../pipelines/store/store.ts'
import type { Config } from '../config.ts'
import type { Parts } from '../health.ts'
import type { Lifecycle } from '../lifecycle.ts'

export interface Process {
  config: Config
  lifecycle: Lifecycle
  log: Log
  now: () => number
  outside: (signal: AbortSignal) => Outside
  /** The variables of the upstreams that a bundled sample stands in for. */
  samples: ReadonlySet<string>
  /** Bulk downloads may be started. */
  bulk: boolean
  warn: (part: string) => (name: string, error: unknown) => void
  /** Has the operator see, on the terminal, how something long comes along. */
  tell(line: string): void
  /** Opens it if it is not open yet. */
  store: () => Promise<Store>
  parts: Parts
}
