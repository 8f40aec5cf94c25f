/** The running store, as an analyst's tool reaches it: over HTTP, with the user in the address. */
import type { AskStore } from '../../pipelines/domains/books/facts.ts'
import { loadConfig } from './command-line.ts'

export interface StandingStore {
  url: string
  user: string
  password: string
  database: string
  /** The native protocol, if its port is known. */
  native?: { host: string; port: number }
}

export async function standingStore(): Promise<StandingStore> {
  const { STORE_URL, STORE_PORT, STORE_TCP_PORT } = await loadConfig()
  if (STORE_URL.startsWith('embedded:')) {
    const host = '127.0.0.1'
    const native = { host, port: STORE_TCP_PORT }
    return { url: `http://${host}:${STORE_PORT}`, user: 'analyst', password: '', database: 'farebox', native }
  }
  const { origin, username, password, pathname } = new URL(STORE_URL)
  return {
    url: origin,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'farebox',
  }
}

/** The answer to one statement, complete or an error. */
export async function asked(
  { url, user, password, database }: StandingStore,
  statement: string,
  settings: Record<string, string> = {},
): Promise<Response> {
  // With wait_end_of_query, a query that breaks in the middle gives an error instead of half an answer.
  const parameters = new URLSearchParams({ database, wait_end_of_query: '1', ...settings })
  const answer = await fetch(`${url}/?${parameters}`, {
    method: 'POST',
    headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
    body: statement,
  }).catch(error => {
    throw new Error(`the store at ${url} does not answer: ${error.cause?.message ?? error.message}`)
  })
  if (!answer.ok) throw new Error(`the store refused: ${(await answer.text()).trim()}`)
  return answer
}

/** Parameters of a statement travel beside it. */
export async function storeAsker(): Promise<AskStore> {
  const store = await standingStore()
  return async <Row>(sql: string, params: Readonly<Record<string, string>>) => {
    const given = Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value]))
    const answer = await asked(store, `${sql} format JSONEachRow`, given)
    const text = (await answer.text()).trim()
    return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as Row)
  }
}
