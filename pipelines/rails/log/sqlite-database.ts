/** A SQLite file that only this process may write. It flushes every commit. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

const busy = 5

export class Database {
  readonly #db: DatabaseSync
  readonly #owner: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** The file never grows beyond `fileBytes`. It refuses a write that needs more. */
  constructor(path: string, fileBytes: number | undefined) {
    this.#owner = owned(path)
    this.#db = new DatabaseSync(path)
    this.#db.exec(
      'pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864',
    )
    if (fileBytes === undefined) return
    const pageBytes = this.number('select page_size as n from pragma_page_size') as number
    this.#db.exec(`pragma max_page_count = ${Math.floor(fileBytes / pageBytes)}`)
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.statement(sql).run(...values)
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.statement(sql).all(...values) as Row[]
  }

  /** Reads row by row, so that the caller may stop early. */
  each<Row>(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.statement(sql).iterate(...values) as Iterable<Row>
  }

  /** Returns the column `n` of the first row, if there is one. */
  number(sql: string, ...values: SQLInputValue[]): number | undefined {
    return (this.statement(sql).get(...values) as { n: number | null } | undefined)?.n ?? undefined
  }

  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      statement = this.#db.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Does all of the work or nothing, in one commit with one fsync. */
  transaction<T>(work: () => T): T {
    this.#db.exec('begin')
    try {
      const result = work()
      this.#db.exec('commit')
      return result
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      throw error
    }
  }

  close(): void {
    this.#db.close()
    this.#owner.close()
  }
}

/**
 * Turns a second process away. The lock is on a file beside the log, so that others can read the log meanwhile. It ends
 * with the process, however that ends.
 */
function owned(path: string): DatabaseSync {
  const owner = new DatabaseSync(`${path}.owner`)
  try {
    owner.exec('begin exclusive')
    return owner
  } catch (error) {
    owner.close()
    if ((error as { errcode?: number }).errcode !== busy) throw error
    throw new Error(`the log ${path} is in use by another process: stop that first`)
  }
}
