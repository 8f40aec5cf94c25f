/** The Store: ClickHouse over HTTP, whether a server of yours or the engine we start (embedded.ts). */
import type { Dataset, View } from '../../schemas/dataset.ts'

export interface Versioned {
  event: Record<string, unknown>
  version: bigint
  /** A tombstone: the fact is withdrawn. */
  deleted?: boolean
}

/** Where analysts find it. `tcp` is the native protocol, known only of the engine that we start. */
export interface Address {
  http: string
  tcp?: string | undefined
}

/** What stops a start, in one line. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** The store cannot take rows just now: worth another try. */
export class StoreAway extends Error {
  override name = 'StoreAway'
}

/** The store is up and refuses these very rows: one of them, at least, will never fit its table. */
export class RowsRefused extends Error {
  override name = 'RowsRefused'
}

export interface Store {
  readonly address: Address
  /** Creates what is missing; rejects, naming table and column, where what stands there does not fit. */
  apply(datasets: readonly Dataset[]): Promise<void>
  /**
   * Resolves once the rows are in the table; rejects with RowsRefused where one of them can never be, else with
   * StoreAway.
   */
  insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void>
  /** Rows of a view, narrowed by `tail` ("where day >= {since: Date} order by day"), with bound parameters. */
  read<Row>(view: View<Row>, tail?: string, params?: Record<string, unknown>): Promise<Row[]>
  /** Any read-only SQL; for checks and tools, never on the path of a call. */
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
  rebuild(view: View): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}
