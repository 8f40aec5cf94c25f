/** The engine itself reads a query before it is sold: one select, and no table that a function makes. */
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { QueryRefused, type Store, StoreAway, StoreError } from '../../pipelines/rails/store/store.ts'
import type { Question } from './template.ts'

const withinMs = 10_000

interface Around {
  name: string
  store(): Promise<Store>
}

/** Throws a ConfigError where it must not be sold. While the store is away, nobody can tell: its user reads facts only all the same. */
export async function checkQuery(view: string, question: Question, { name, store }: Around): Promise<void> {
  const tree = await treeOf(view, question, store)
  if (tree === undefined) return
  if (tree instanceof QueryRefused) {
    if (tree.kind === 'AUTHENTICATION_FAILED')
      throw new ConfigError(
        `${name}: the store has no user seller; it should have the users of deploy/clickhouse/users.xml`,
      )
    throw new ConfigError(`${name}: from.view cannot be read: ${tree.message}`)
  }
  const fault = faultIn(tree)
  if (fault) throw new ConfigError(`${name}: from.view ${fault}`)
}

async function treeOf(view: string, question: Question, store: Around['store']) {
  try {
    const signal = AbortSignal.timeout(withinMs)
    const text = await (await store()).sold(`explain ast ${view}`, question, { signal, withinMs })
    // The format that the client asks for belongs to the query that is explained, so its tree comes as lines of text.
    return text.split('\n').filter(Boolean)
  } catch (error) {
    if (error instanceof QueryRefused) return error
    if (error instanceof StoreAway || error instanceof StoreError) return undefined
    throw error
  }
}

/** Reads the tree of a query as ClickHouse prints it: a line for each node. */
function faultIn(tree: readonly string[]): string | undefined {
  const nodes = tree.map(line => line.trim())
  if (!/^Select/.test(nodes[0] ?? '')) return 'should be one select'
  const made = nodes.findIndex(
    (node, i) => node.startsWith('TableExpression') && nodes[i + 1]?.startsWith('Function '),
  )
  if (made < 0) return undefined
  return `should read tables, and none that the function ${nodes[made + 1]?.split(' ')[1]} makes`
}
