/** What the module of `from: { module }` is written with. The file that names it says its price, its question and its refusals. */

export interface ModuleTools<Codes extends string = string> {
  /** Asks public addresses only, and the hosts that the file names. `globalThis.fetch` is the same. */
  fetch: typeof fetch
  /** The variables that the file names. */
  env: Readonly<Record<string, string>>
  now(): number
  /** One select of the tables and views of facts. `{name:String}` is a parameter, which the engine binds. */
  view(
    query: string,
    parameters?: Readonly<Record<string, unknown>>,
  ): Promise<readonly Record<string, unknown>[]>
  /** Makes a value and keeps it for so long. Each process of the module has a memory of its own. */
  once<T>(name: string, keepMs: number, make: () => Promise<T> | T): Promise<T>
  /** Ends the call with a refusal of the file. It is free, and so is whatever is thrown. */
  refuse(code: Codes): never
}

export interface ModuleOperation<Question = Record<string, unknown>, Codes extends string = string> {
  /** The answer, as JSON can write it. */
  answer(question: Question, tools: ModuleTools<Codes>): unknown
}

/** An operation as a whole that has a fault is not taken for the answer of one. */
interface NoWhole {
  id?: never
  request?: never
  response?: never
}

export type DefineModule = <Question = Record<string, unknown>, Codes extends string = string>(
  operation: ModuleOperation<Question, Codes> & NoWhole,
) => ModuleOperation<Question, Codes>
