/** A Worker is what a role runs: it moves facts on its own, and no caller waits for it. */
import type { Topic } from '../schemas/dataset.ts'
import type { NetworkName } from '../schemas/networks.ts'
import type { Log } from './log/log.ts'
import type { Outside } from './outside/outside.ts'
import type { Running } from './running.ts'
import type { Summarise } from './sec/events/model.ts'
import type { Store } from './store/store.ts'

export interface Worker {
  /** The kind of its work, and what it is done for where there are several. */
  part: string
  name?: string
  role: 'ingest' | 'sink' | 'meter'
  /** What it reads of the log, so that its lag is seen. */
  follows?: { topic: Topic; group: string }
  open(needs: WorkerNeeds): Promise<Running> | Running
}

/** What a process can give its workers; each takes what it needs. */
export interface WorkerNeeds {
  log: Log
  /** Opens it if it is not open yet. */
  store(): Promise<Store>
  outside(signal: AbortSignal): Outside
  now(): number
  /** Told of what was survived. */
  onFailed(name: string, error: unknown): void
  /** Has the operator see, on the terminal, how something long comes along. */
  tell(line: string): void
  dataDir: string
  /** Downloads of gigabytes may be started. */
  bulk: boolean
  summarise?: Summarise | undefined
  networks: readonly OpenNetwork[]
}

/** A network that is sold on. */
export interface OpenNetwork {
  name: NetworkName
  rpcUrls: readonly string[]
  payTo?: string | undefined
}
