/** The paths that a seller lists: those of this client, and what else is sold there. */
import { ask, type ConnectionOptions } from './connection.ts'

const mostListed = 1_000

/** Undefined if it lists nothing. The seller may be anybody, so what it lists is only compared. */
export async function listedAt(connection: ConnectionOptions): Promise<string[] | undefined> {
  const request = { headers: { accept: 'application/json' } }
  const heard = await ask(request, '/', connection, { until: Date.now() })
  if ('lost' in heard || !Array.isArray(heard.json.operations)) return undefined
  return heard.json.operations.slice(0, mostListed).flatMap(each => {
    const url: unknown = (each as { url?: unknown } | null)?.url
    return typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : []
  })
}
