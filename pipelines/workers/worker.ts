/** A worker is a part of a role that runs on its own: it moves facts, and no caller waits for it. */
import type { Topic } from '../../schemas/dataset/dataset.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'
import type { NoteSigner } from '../domains/attestation/tlog/note.ts'
import type { Summarise } from '../domains/company/events/model.ts'
import type { Watch } from '../domains/watch/watch.ts'
import type { Blobs } from '../rails/blobs/blobs.ts'
import type { Duties } from '../rails/duties/duties.ts'
import type { Log } from '../rails/log/log.ts'
import type { PublicFetch, PublicWeb } from '../rails/outside/fetching/visit.ts'
import type { Outside } from '../rails/outside/upstreams/outside.ts'
import type { Upstream } from '../rails/outside/upstreams/upstream.ts'
import type { Running } from '../rails/running.ts'
import type { Store } from '../rails/store/store.ts'

export interface Worker {
  /** The kind of its work. Where there are several of one kind, `name` tells them apart. */
  part: string
  name?: string
  role: 'ingest' | 'sink' | 'meter' | 'render'
  /** The topic that it reads, so that the metrics show its lag. */
  follows?: { topic: Topic; group: string }
  open(needs: WorkerNeeds): Promise<Running> | Running
}

/** What a process offers its workers. Each uses what it needs. */
export interface WorkerNeeds {
  log: Log
  /** Opens the store if it is not open yet. */
  store(): Promise<Store>
  outside(signal: AbortSignal): Outside
  /** Runs a part in one process of all, however many have the role. */
  alone: Duties['alone']
  now(): number
  /** Reports a failure that the worker has survived. */
  onFailed(name: string, error: unknown): void
  /** Shows the operator the progress of something long. */
  tell(line: string): void
  /** The only way to a URL that we did not write ourselves. */
  visits: PublicFetch
  /** The public web, as the browser gets to it. */
  web: PublicWeb & { userAgent: string }
  /** Opens the store of rendered pages if it is not open yet. */
  pages(): Promise<Blobs>
  browser: { named?: string | undefined; withoutSandbox: boolean }
  /** Does a bundled sample stand in for the upstream? */
  isSample(upstream: Upstream): boolean
  dataDir: string
  /** Whether downloads of gigabytes may start. */
  bulk: boolean
  summarise?: Summarise | undefined
  /** Absent: this deployment has no subscriptions. */
  watch?: Watch | undefined
  networks: readonly OpenNetwork[]
  sold: readonly Sold[]
  /** Signs the log of attestations. Absent where nobody attests. */
  attestLog?: NoteSigner | undefined
}

/** An operation, by its names in settlements. */
export interface Sold {
  origin: string
  operation: string
}

/** A network that we sell on. */
interface OpenNetwork {
  name: NetworkName
  rpcUrls: readonly string[]
  payTo?: string | undefined
}
