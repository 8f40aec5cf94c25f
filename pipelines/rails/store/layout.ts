/**
 * What stands in the store. A start compares every table with its declaration, so all is read at once; what the start itself has changed
 * is read again, alone.
 */
import { sqlText } from '../../../schemas/dataset/sql-text.ts'

interface Session {
  query<Row>(sql: string, params?: Record<string, unknown>): Promise<Row[]>
}

export interface StandingTable {
  engine: string
  engine_full: string
  sorting_key: string
  partition_key: string
  comment: string
}

export interface StandingColumn {
  name: string
  type: string
  default_expression: string
  comment: string
  compression_codec: string
}

/** A table or a view. */
interface Thing {
  table: StandingTable | undefined
  columns: StandingColumn[]
  indexes: string[]
}

const nothing: Thing = { table: undefined, columns: [], indexes: [] }
const pathOf = (database: string, name: string) => `${database}.${name}`

export class Layout {
  readonly #session: Session
  #things = new Map<string, Thing>()
  /** The databases that were read whole: what is not in `#things` does not stand. */
  #whole = new Set<string>()
  readonly #changed = new Set<string>()
  readonly #types = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  async readAll(databases: readonly string[]): Promise<void> {
    this.#things = await this.#read(databases)
    this.#whole = new Set(databases)
    this.#changed.clear()
  }

  async of(database: string, name: string): Promise<Thing> {
    const path = pathOf(database, name)
    const known = this.#things.get(path)
    if (known) return known
    if (this.#whole.has(database) && !this.#changed.has(path)) return nothing
    const thing = (await this.#read([database], name)).get(path) ?? nothing
    this.#things.set(path, thing)
    return thing
  }

  /** After a change of it. */
  forget(database: string, name: string): void {
    this.#things.delete(pathOf(database, name))
    this.#changed.add(pathOf(database, name))
  }

  /** Types as ClickHouse spells them. */
  async spelt(types: readonly string[]): Promise<(string | undefined)[]> {
    const unknown = [...new Set(types)].filter(type => !this.#types.has(type))
    if (unknown.length) {
      const list = unknown.map(type => `toTypeName(defaultValueOfTypeName(${sqlText(type)}))`).join(', ')
      const [row] = await this.#session.query<{ spelt: string[] }>(`select [${list}] as spelt`)
      for (const [i, type] of unknown.entries()) this.#types.set(type, row?.spelt[i] ?? '')
    }
    return types.map(type => this.#types.get(type))
  }

  async #read(databases: readonly string[], name?: string): Promise<Map<string, Thing>> {
    const params = { databases, name: name ?? '' }
    const from = (list: string, of: string) =>
      `from system.${list} where database in ({databases: Array(String)})${name === undefined ? '' : ` and ${of} = {name: String}`}`
    const ask = <Row>(sql: string) => this.#session.query<Row & { database: string; of: string }>(sql, params)
    const things = new Map<string, Thing>()
    for (const { database, of, ...table } of await ask<StandingTable>(
      `select database, name as of, engine, engine_full, sorting_key, partition_key, comment ${from('tables', 'name')}`,
    ))
      things.set(pathOf(database, of), { table, columns: [], indexes: [] })
    for (const { database, of, ...column } of await ask<StandingColumn>(
      `select database, table as of, name, type, default_expression, comment, compression_codec ${from('columns', 'table')} order by position`,
    ))
      things.get(pathOf(database, of))?.columns.push(column)
    for (const { database, of, name } of await ask<{ name: string }>(
      `select database, table as of, name ${from('data_skipping_indices', 'table')}`,
    ))
      things.get(pathOf(database, of))?.indexes.push(name)
    return things
  }
}
