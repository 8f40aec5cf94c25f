/** The only way to ClickHouse: over HTTP, for a server and for our own engine. */
import { Readable } from 'node:stream'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
} from '@clickhouse/client'
import type { Dataset, View } from '../../../schemas/dataset/dataset.ts'
import { offsetBits } from '../../../schemas/dataset/version.ts'
import { apply, completeOrdered, rebuild } from './apply.ts'
import { createBeside } from './beside.ts'
import { misfit } from './column-fit.ts'
import { conditionOf, type StoreCondition } from './condition.ts'
import { allDatabases, columnsOf, type Databases, databaseOf, everywhere, markSql } from './ddl.ts'
import { keepOne, orderedViews } from './ordered.ts'
import {
  type Beside,
  QueryRefused,
  RowsRefused,
  type SoldQuery,
  type Store,
  type StoreAddress,
  StoreAway,
  StoreError,
  type Versioned,
} from './store.ts'
import { summedViews, sumUp } from './summed.ts'

interface Connection {
  url: string
  username: string
  password: string
  database: string
  /** The name in ClickHouse of the servers that share the rows. */
  cluster?: string | undefined
  address: StoreAddress
  /** Stops the engine behind this store, if the store owns it. */
  release?: () => Promise<void>
}

/** The errors of ClickHouse about a value that does not fit its column. All its other errors are about the server. */
const ofTheRows =
  /^(CANNOT_PARSE_|CANNOT_READ_|CANNOT_CONVERT_TYPE|CANNOT_INSERT_NULL|INCORRECT_DATA|TYPE_MISMATCH|DECIMAL_OVERFLOW|VALUE_IS_OUT_OF_RANGE|ARGUMENT_OUT_OF_BOUND|TOO_LARGE_STRING_SIZE|UNEXPECTED_DATA_AFTER)/

/** Rows are written and read in one form: decimals and 64-bit integers as text, times as RFC 3339 in UTC. */
const settings = {
  final: 1,
  async_insert: 0,
  date_time_input_format: 'best_effort',
  date_time_output_format: 'iso',
  input_format_skip_unknown_fields: 0,
  input_format_null_as_default: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_named_tuples_as_objects: 1,
  print_pretty_type_names: 0,
} as const

const ofClusters = {
  // Rows are in a shard when the insert ends.
  distributed_foreground_insert: 1,
  // The result of a subquery goes to every shard, because a rebuilt view may not have reached the others yet.
  distributed_product_mode: 'global',
  prefer_global_in_and_join: 1,
  // A server that is away runs the statement when it is back. The others wait at most this long for it.
  distributed_ddl_output_mode: 'null_status_on_timeout',
  distributed_ddl_task_timeout: '30',
} as const

/** The month in which the log took the event of a row: its version begins with that time. */
const monthOfLog = `toYYYYMM(fromUnixTimestamp64Milli(toInt64(bitShiftRight(version, ${offsetBits})), 'UTC'))`

/** A payment may be resolved for eight days after it was made. */
const doubtfulSince = 'now() - interval 9 day'

/** For what files sell: each number keeps its digits, and a query that breaks in the middle gives no half of an answer. */
const ofSales = {
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_decimals: 0,
  output_format_json_named_tuples_as_objects: 1,
  wait_end_of_query: 1,
  cancel_http_readonly_queries_on_client_close: 1,
} as const

/** A caller waits for it, so it comes before sinks and analysts (deploy/clickhouse/users.xml has theirs). */
const ofCalls = { os_threads_nice_value_query: 5 } as const

const rebuildMs = 3_600_000
/** The memory limit of a rebuild. The rest goes to disk. */
const ofRebuilds = {
  max_bytes_before_external_group_by: '400000000',
  max_bytes_before_external_sort: '400000000',
} as const

export async function connect(connection: Connection): Promise<Store> {
  const { url, username, password, database, cluster } = connection
  const databases: Databases = { analysts: database, service: `${database}_private`, cluster }
  // A failure rejects, so the client need not print it too.
  const log = { level: ClickHouseLogLevel.OFF }
  const login = { url, username, password, request_timeout: 60_000, log }
  // ClickHouse refuses a session in a database that does not exist, so the databases are created first.
  const first = createClient(login)
  try {
    for (const name of allDatabases(databases))
      await first.command({ query: `create database if not exists ${name}${everywhere(databases)}` })
  } catch (error) {
    throw new StoreError(`STORE_URL: the store at ${url} cannot be used: ${inOneLine(error)}`)
  } finally {
    await first.close()
  }
  const always = { ...settings, ...(cluster && ofClusters) }
  const asking = { ...login, database, clickhouse_settings: always }
  return new ClickHouse(
    createClient(asking),
    createClient({
      ...asking,
      request_timeout: rebuildMs,
      clickhouse_settings: { ...always, ...ofRebuilds },
    }),
    createClient({ ...login, database, username: 'seller', clickhouse_settings: ofSales }),
    databases,
    connection,
  )
}

class ClickHouse implements Store {
  readonly address: StoreAddress
  readonly #client: ClickHouseClient
  /** The client for statements that take minutes. */
  readonly #patient: ClickHouseClient
  /** The client for what files sell. */
  readonly #seller: ClickHouseClient
  readonly #databases: Databases
  readonly #release: () => Promise<void>
  /** The dataset of each view. A view is added when it is applied. */
  readonly #views = new Map<string, Dataset>()

  constructor(
    client: ClickHouseClient,
    patient: ClickHouseClient,
    seller: ClickHouseClient,
    databases: Databases,
    { address, release }: Connection,
  ) {
    this.#client = client
    this.#patient = patient
    this.#seller = seller
    this.#databases = databases
    this.#release = release ?? (async () => {})
    this.address = address
  }

  async apply(datasets: readonly Dataset[]): Promise<void> {
    const stored = datasets.filter(({ audience }) => audience !== 'log')
    await apply(stored, this.#databases, this.#session)
    for (const dataset of stored) for (const view of dataset.views) this.#views.set(view.name, dataset)
  }

  async insert(dataset: Dataset, rows: readonly Versioned[]): Promise<void> {
    if (rows.length === 0) return
    for (const { event } of rows) {
      const wrong = misfit(dataset, event)
      if (wrong) throw new RowsRefused(wrong)
    }
    try {
      const { stream } = await this.#client.exec(insertion(this.#tableOf(dataset), dataset, rows))
      for await (const _ of stream);
    } catch (error) {
      const why = inOneLine(error)
      if (error instanceof ClickHouseError && ofTheRows.test(error.type ?? '')) throw new RowsRefused(why)
      throw new StoreAway(why, { cause: error })
    }
  }

  async newest(dataset: Dataset): Promise<bigint> {
    try {
      const [row] = await this.query<{ version: string }>(
        `select toString(max(version)) as version from ${this.#tableOf(dataset)} settings final = 0`,
      )
      return BigInt(row?.version ?? 0)
    } catch (error) {
      throw new StoreAway(inOneLine(error), { cause: error })
    }
  }

  read<Row>(view: View<Row>, tail = '', params?: Record<string, unknown>): Promise<Row[]> {
    const database = databaseOf(this.#datasetOf(view), this.#databases)
    return this.#asked(`select * from ${database}.${view.name} ${tail}`, params, ofCalls)
  }

  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]> {
    return this.#asked(sql, params)
  }

  async #asked<Row>(
    query: string,
    query_params: Record<string, unknown> = {},
    clickhouse_settings: ClickHouseSettings = {},
  ): Promise<Row[]> {
    const answer = await this.#client.query({
      query,
      query_params,
      clickhouse_settings,
      format: 'JSONEachRow',
    })
    return answer.json<Row>()
  }

  async examine<Row>(sql: string): Promise<Row[]> {
    const answer = await this.#patient.query({
      query: sql,
      format: 'JSONEachRow',
      clickhouse_settings: { optimize_aggregation_in_order: 1 },
    })
    return answer.json<Row>()
  }

  async sold(sql: string, params: Record<string, unknown>, { signal, withinMs }: SoldQuery): Promise<string> {
    try {
      const answer = await this.#seller.query({
        query: sql,
        query_params: params,
        format: 'JSONEachRow',
        abort_signal: signal,
        clickhouse_settings: { max_execution_time: Math.ceil(withinMs / 1000) },
      })
      return await answer.text()
    } catch (error) {
      if (error instanceof ClickHouseError) throw new QueryRefused(error.type ?? '', inOneLine(error))
      throw new StoreAway(inOneLine(error), { cause: error })
    }
  }

  rebuild(view: View): Promise<void> {
    return rebuild(this.#datasetOf(view), view, this.#databases, this.#session)
  }

  async keepOne(dataset: Dataset): Promise<void> {
    await completeOrdered(dataset, this.#databases, this.#session)
    for (const view of orderedViews(dataset))
      await keepOne(dataset, view, this.#databases, this.#session, doubtfulSince)
    for (const view of summedViews(dataset)) await sumUp(dataset, view, this.#databases, this.#session)
  }

  async loads(): Promise<Map<string, string>> {
    const { analysts, cluster } = this.#databases
    const parts = cluster ? `clusterAllReplicas(${cluster}, system.parts)` : 'system.parts'
    const database = cluster ? allDatabases(this.#databases)[2] : analysts
    // The number of a table's newest block grows with each insert, and with no merge.
    const rows = await this.query<{ table: string; last: string }>(
      `select table, toString(groupArray(last)) as last from (
        select table, hostName() as host, max(max_block_number) as last from ${parts}
        where active and database = {database: String} group by table, host order by host
      ) group by table`,
      { database },
    )
    return new Map(rows.map(({ table, last }) => [table, last]))
  }

  beside(dataset: Dataset): Promise<Beside> {
    const insert: Store['insert'] = (...given) => this.insert(...given)
    return createBeside(dataset, this.#databases, { ...this.#session, insert })
  }

  async months(dataset: Dataset): Promise<Map<string, string>> {
    const rows = await this.query<{ month: string; mark: string }>(
      `select toString(${monthOfLog}) as month, ${markSql} as mark
      from ${this.#tableOf(dataset)} group by month order by month settings final = 0`,
    )
    return new Map(rows.map(({ month, mark }) => [month, mark]))
  }

  async dump(dataset: Dataset, month: string): Promise<Readable> {
    const columns = columnsOf(dataset).map(({ name }) => `\`${name}\``)
    const query = `select ${columns.join(', ')} from ${this.#tableOf(dataset)} where ${monthOfLog} = ${Number(month)} settings final = 0 format Native`
    return (await this.#patient.exec({ query })).stream
  }

  async written(sql: string): Promise<Readable> {
    return (await this.#patient.exec({ query: sql })).stream
  }

  async load(dataset: Dataset, rows: Readable, format = 'Native'): Promise<void> {
    const query = `insert into ${this.#tableOf(dataset)} format ${format}`
    const { stream } = await this.#patient.exec({ query, values: rows })
    for await (const _ of stream);
  }

  async ping(): Promise<boolean> {
    return (await this.#client.ping({ select: true })).success
  }

  async close(): Promise<void> {
    await this.#client.close()
    await this.#patient.close()
    await this.#seller.close()
    await this.#release()
  }

  readonly #session = {
    run: (sql: string) => this.#run(sql),
    query: <Row>(sql: string, params?: Record<string, unknown>) => this.query<Row>(sql, params),
  }

  async #run(sql: string): Promise<void> {
    await this.#patient.command({ query: sql })
  }

  condition(): Promise<StoreCondition> {
    return conditionOf(this.#session, this.#databases)
  }

  #tableOf(dataset: Dataset): string {
    return `${databaseOf(dataset, this.#databases)}.${dataset.name}`
  }

  #datasetOf(view: View): Dataset {
    const dataset = this.#views.get(view.name)
    if (!dataset) throw new Error(`${view.name} is not a view of the applied datasets`)
    return dataset
  }
}

/** Without the names of columns: half the bytes, and the engine looks no name up. */
function insertion(table: string, { fields }: Dataset, rows: readonly Versioned[]) {
  const columns = Object.keys(fields)
  const names = ['version', 'is_deleted', ...columns].map(name => `\`${name}\``).join(', ')
  const query = `insert into ${table} (${names}) format JSONCompactEachRow`
  return { query, values: Readable.from(linesOf(columns, rows), { objectMode: false }) }
}

/** So many rows become text before others have their turn. */
const rowsAtOnce = 1000

function* linesOf(columns: readonly string[], rows: readonly Versioned[]): Generator<Buffer> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    let lines = ''
    for (const { event, version, deleted } of rows.slice(from, from + rowsAtOnce)) {
      const values: unknown[] = [String(version), deleted ? 1 : 0]
      for (const column of columns) values.push(event[column])
      lines += `${JSON.stringify(values)}\n`
    }
    yield Buffer.from(lines)
  }
}

function inOneLine(error: unknown): string {
  const text =
    error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error)
  return (text.split('\n')[0] ?? text).trim()
}
