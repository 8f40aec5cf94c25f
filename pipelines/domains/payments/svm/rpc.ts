/** Calls a Solana node. */
import { UpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'

export type Rpc = <T>(method: string, ...params: unknown[]) => Promise<T>

const timeoutMs = 4000

/** A node's word that a transaction has a version above the highest that we asked for. */
export class NewerVersion extends Error {
  override name = 'NewerVersion'
}
const newerVersion = -32015

/** The first node that answers is believed. */
export const rpcOf =
  (urls: readonly string[]): Rpc =>
  async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const silent: unknown[] = []
    for (const url of urls) {
      try {
        const response = await nodeFetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
          signal: AbortSignal.timeout(timeoutMs),
        })
        const reply = (await response.json()) as { result?: T; error?: { code?: number; message?: string } }
        if (reply.error?.code === newerVersion) throw new NewerVersion(reply.error.message)
        if (reply.result === undefined)
          throw new Error(`${method}: ${reply.error?.message ?? response.status}`)
        return reply.result
      } catch (error) {
        if (error instanceof NewerVersion) throw error
        // The world fails: the next node is asked. The caller gets an error if no node answers.
        silent.push(error)
      }
    }
    throw new UpstreamFailed(`no Solana node answers ${method}`, { cause: new AggregateError(silent) })
  }

const patientMs = 20_000

/** One call to one node, where no caller waits. */
export async function patientCall<T>(
  url: string,
  method: string,
  params: unknown[],
  signal: AbortSignal,
): Promise<T> {
  const response = await nodeFetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(patientMs)]),
  })
  const reply = (await response.json()) as { result?: T; error?: { message?: string } }
  if (reply.result === undefined) throw new Error(`${method}: ${reply.error?.message ?? response.status}`)
  return reply.result
}
