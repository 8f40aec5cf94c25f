/** The store is ClickHouse over HTTP: your server, or the engine that we start (embedded.ts). */
import type { Dataset, View } from '../../schemas/dataset.ts'

export interface Versioned {
  event: Record<string, unknown>
  version: bigint
  /** True for a tombstone: the fact is withdrawn. */
  deleted?: boolean
}

/** The addresses for analysts. `tcp` is the native protocol. We know it only for the engine that we start. */
export interface Address {
  http: string
  tcp?: string | undefined
}

/** An error that stops the start, in one line. */
export class StoreError extends Error {
  override name = 'StoreError'
}

/** The store cannot accept rows now. Another try may succeed. */
export class StoreAway extends Error {
  override name = 'StoreAway'
}

/** The store is up and refuses these rows. At least one of them will never fit its table. */
export class RowsRefused extends Error {
  override name = 'RowsRefused'
}

export interface Store {
  readonly address: Address
  /** Creates what is missing. Where a table does not fit, it rejects and names table and column. */
  apply(datasets: readonly Dataset[]): Promise<void>
  /** Resolves when the rows are in the table. Rejects with RowsRefused if a row can never fit, else with StoreAway. */
  insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void>
  /** Reads rows of a view. `tail` selects them ("where day >= {since: Date} order by day"), with bound parameters. */
  read<Row>(view: View<Row>, tail?: string, params?: Record<string, unknown>): Promise<Row[]>
  /** Runs any read-only SQL. It is for checks and tools, never for a call. */
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
  rebuild(view: View): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}
