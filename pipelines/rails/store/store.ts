/** The store is ClickHouse over HTTP: your server, or the engine that we start (embedded.ts). */
import type { Readable } from 'node:stream'
import type { Dataset, View } from '../../../schemas/dataset/dataset.ts'
import type { StoreCondition } from './condition.ts'

export interface Versioned {
  event: Record<string, unknown>
  version: bigint
  /** True for a tombstone: the fact is withdrawn. */
  deleted?: boolean
}

/** The addresses for analysts. `tcp` is the native protocol. We know it only for the engine that we start. */
export interface StoreAddress {
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

export interface SoldQuery {
  signal: AbortSignal
  withinMs: number
}

/** A second table of a dataset, filled beside the current one until the two exchange their names. */
export interface Beside {
  insert(rows: readonly Versioned[]): Promise<void>
  /** Copies the current rows with their versions. Later rows from the log replace them. */
  copyStanding(): Promise<void>
  /** Counts the facts of both tables. */
  count(): Promise<{ standing: number; beside: number }>
  /** From now on readers and the sink use this table. */
  takeOver(): Promise<void>
  /** Removes the table that nobody uses. */
  drop(): Promise<void>
}

/** The store is up, and refuses this query. `kind` is ClickHouse's name of the reason. */
export class QueryRefused extends Error {
  override name = 'QueryRefused'
  readonly kind: string

  constructor(kind: string, message: string) {
    super(message)
    this.kind = kind
  }
}

export interface Store {
  readonly address: StoreAddress
  /** Creates what is missing. Where a table does not fit, it rejects and names table and column. */
  apply(datasets: readonly Dataset[]): Promise<void>
  /** Resolves when the rows are in the table. Rejects with RowsRefused if a row can never fit, else with StoreAway. */
  insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void>
  /** The highest version of all rows of the table; 0 without rows. Rejects with StoreAway while the store is down. */
  newest(dataset: Dataset): Promise<bigint>
  /** Reads rows of a view, before sinks and analysts. `tail` selects them ("where day >= {since: Date} order by day"), with bound parameters. */
  read<Row>(view: View<Row>, tail?: string, params?: Record<string, unknown>): Promise<Row[]>
  /** Runs any read-only SQL. It is for checks and tools, never for a call. */
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
  /** The same for what reads whole tables: it may take minutes, and puts on disk what is too large for memory. */
  examine<Row>(sql: string): Promise<Row[]>
  /**
   * Runs a query that a file sells, as the user seller: it reads facts only, within bounds. Resolves with a line of JSON for each row.
   * Rejects with QueryRefused or StoreAway.
   */
  sold(sql: string, params: Record<string, unknown>, options: SoldQuery): Promise<string>
  rebuild(view: View): Promise<void>
  /** Fills the ordered tables of the dataset where a start has not, and withdraws their second rows of one key, of the last days. */
  keepOne(dataset: Dataset): Promise<void>
  /** A mark for each table of the analysts. It changes with every load. */
  loads(): Promise<Map<string, string>>
  /** Creates a second table of the dataset, which will replace the current one. */
  beside(dataset: Dataset): Promise<Beside>
  /** All rows of the table with their versions, in a form that `load` takes. */
  dump(dataset: Dataset, month: string): Promise<Readable>
  /** The months of the log that the rows of the table come from, each with a mark that changes with its rows. */
  months(dataset: Dataset): Promise<Map<string, string>>
  load(dataset: Dataset, rows: Readable, format?: 'Native' | 'Parquet'): Promise<void>
  /** The answer to a read-only statement in the format that it names, for tools. */
  written(sql: string): Promise<Readable>
  /** Of each server of the store. */
  condition(): Promise<StoreCondition>
  ping(): Promise<boolean>
  close(): Promise<void>
}
