/** A client of the SDK's own, connected to a server that sells an echo and offers it on trial. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import type { Operation } from '../../../../services/offer/operation.ts'
import { echo, shout } from '../../till/paying.ts'
import { openSelling } from '../selling.ts'

export const tried: Operation = { ...echo, id: 'triedOnce', path: '/tried/echo', trial: true }

export interface Heard {
  result: CallToolResult
  /** The content of the result, as JSON. */
  json: Record<string, never>
}

export type Connected = Awaited<ReturnType<typeof connected>>

export async function connected(more: Parameters<typeof openSelling>[0] = {}) {
  const shop = await openSelling({ operations: [echo, shout, tried], freeCallsADay: 1000, ...more })
  const url = `${shop.url}/mcp`
  const client = await clientOf(url)
  /** Sends a message unchanged, without what a client would make of it. */
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return { ...shop, mcpUrl: url, client, post, call: callerOf(client) }
}

export async function clientOf(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'a-test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

export const callerOf =
  (client: Client) =>
  async (name: string, given: object = {}, _meta?: Record<string, unknown>): Promise<Heard> => {
    const result = (await client.callTool({
      name,
      arguments: given as Record<string, unknown>,
      ...(_meta && { _meta }),
    })) as CallToolResult
    return { result, json: result.structuredContent as Record<string, never> }
  }
