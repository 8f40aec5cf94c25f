/** The parts of the process. Every role is opened with them. */

import type { Watch } from '../../pipelines/domains/watch/watch.ts'
import type { Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import type { PublicFetch, PublicWeb } from '../../pipelines/rails/outside/fetching/visit.ts'
import type { Outside } from '../../pipelines/rails/outside/upstreams/outside.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import type { Config } from '../config/config.ts'
import type { AttestConfig } from './attesting.ts'
import type { Parts } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'

export interface Process {
  config: Config
  lifecycle: Lifecycle
  log: Log
  now: () => number
  outside: (signal: AbortSignal) => Outside
  /** The only way to a URL that a caller gave. */
  visits: PublicFetch
  /** The public web, as the browser gets to it. */
  web: PublicWeb & { userAgent: string }
  /** Opens the store of large answers if it is not open yet. */
  blobs(): Promise<Blobs>
  /** Opens the store of rendered pages if it is not open yet. */
  pages(): Promise<Blobs>
  /** Absent: this deployment has no subscriptions. */
  watch: Watch | undefined
  /** The variables of the upstreams that a bundled sample replaces. */
  samples: ReadonlySet<string>
  /** Whether bulk downloads may start. */
  bulk: boolean
  warn: (part: string) => (name: string, error: unknown) => void
  /** Shows the operator the progress of something long. */
  tell(line: string): void
  /** Opens the store if it is not open yet. */
  store: () => Promise<Store>
  parts: Parts
  /** Absent where nobody attests. */
  attest: AttestConfig | undefined
}
