/** A node in front of a play-money chain. Like a public node, it may be down, slow, or limited. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { startUpstream } from '../../../upstream.ts'

interface Call {
  id: number
  method: string
  params: { fromBlock?: string; toBlock?: string }[]
}

export async function startNode(rpcUrl: string) {
  const state = {
    down: false,
    /** The limit of one getLogs. */
    mostBlocks: Infinity,
    calls: [] as Call[],
    /** Changes the true answer. */
    alter: (_call: Call, result: unknown): unknown => result,
  }
  const upstream = await startUpstream(async (request: IncomingMessage, response: ServerResponse) => {
    const asked = (await json(request)) as Call | Call[]
    const calls = [asked].flat()
    state.calls.push(...calls)
    if (state.down) return void response.writeHead(503).end('overloaded')
    const said = await Promise.all(calls.map(one))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? said : said[0]))
  })

  async function one(call: Call): Promise<unknown> {
    const { id, method, params } = call
    const blocks = Number(params[0]?.toBlock) - Number(params[0]?.fromBlock) + 1
    if (method === 'eth_getLogs' && blocks > state.mostBlocks)
      return {
        jsonrpc: '2.0',
        id,
        error: { code: -32005, message: 'query returned more than 10000 results' },
      }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const reply = JSON.parse(await text(answer.body as never)) as { result?: unknown }
    return 'result' in reply ? { ...reply, result: state.alter(call, reply.result) } : reply
  }

  return { url: upstream.url, state, asked: () => state.calls.splice(0).map(({ method }) => method) }
}
