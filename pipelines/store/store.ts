/** The Store: ClickHouse over HTTP, whether a server of yours or the engine we start (embedded.ts). */
import type { Dataset, View } from '../../schemas/dataset.ts'

export interface Versioned {
  event: Record<string, unknown>
  version: bigint
  /** A tombstone: the fact is withdrawn. */
  deleted?: boolean
}

export interface Store {
  /** Where analysts connect. */
  readonly address: { http: string; tcp?: string | undefined }
  /** Creates what is missing; rejects, naming table and column, where what stands there does not fit. */
  apply(datasets: readonly Dataset[]): Promise<void>
  /** Resolves once the rows are in the table. */
  insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void>
  /** Rows of a view, narrowed by `tail` ("where day >= {since: Date} order by day"), with bound parameters. */
  read<Row>(view: View<Row>, tail?: string, params?: Record<string, unknown>): Promise<Row[]>
  /** Any read-only SQL; for checks and tools, never on the path of a call. */
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
  rebuild(view: View): Promise<void>
  ping(): Promise<boolean>
  close(): Promise<void>
}
