import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { encodeAbiParameters, type Hex, keccak256, pad, toBytes } from 'viem'
import { expect, test } from 'vitest'
import { EvmReader } from '../../../../../pipelines/domains/payments/evm/reader.ts'
import { networks } from '../../../../../schemas/tables/networks.ts'
import { testRecorded } from '../../../../samples.ts'
import { startUpstream } from '../../../../upstream.ts'

interface Log {
  address: string
  topics: string[]
  data: string
  blockNumber: string
  blockHash?: string
  transactionHash: string
  logIndex: string
}
interface Recorded {
  logs: Log[]
  blocks: Record<string, unknown>[]
  senders: Record<string, string>
}
interface Filter {
  address: string | string[]
  topics: (string | string[] | null)[]
}

const signatures = {
  used: 'AuthorizationUsed(address,bytes32)',
  transfer: 'Transfer(address,address,uint256)',
  settled: 'Settled()',
  settledWithPermit: 'SettledWithPermit()',
}
const hashOf = (short: string) => `0x${short.padStart(64, '0')}`

function recorded(): Recorded {
  const file = new URL('../../../../recorded/market/base-block.json', import.meta.url)
  const { block, transactions, logs } = JSON.parse(readFileSync(file, 'utf8'))
  const rows = logs as [tx: string, index: string, event: keyof typeof signatures, ...args: Hex[]][]
  return {
    blocks: [block],
    senders: transactions,
    logs: rows.map(([tx, logIndex, event, ...args]) => ({
      address: event.startsWith('settled') ? (args[0] as string) : networks.base.asset,
      topics: [
        keccak256(toBytes(signatures[event])),
        ...(event.startsWith('settled') ? [] : args.slice(0, 2).map(arg => pad(arg))),
      ],
      data: event === 'transfer' ? encodeAbiParameters([{ type: 'uint256' }], [BigInt(args[2] ?? 0)]) : '0x',
      blockNumber: block.number,
      blockHash: block.hash,
      transactionHash: hashOf(tx),
      logIndex,
    })),
  }
}

/** A node with these logs. It filters them as eth_getLogs does. */
async function nodeOf({ logs, blocks, senders }: Recorded, batches: boolean): Promise<string> {
  const fits = (wanted: string | string[] | null | undefined, given: string | undefined) =>
    !wanted || [wanted].flat().some(one => one.toLowerCase() === given?.toLowerCase())
  const methods: Record<string, (params: never[]) => unknown> = {
    eth_getLogs: ([{ address, topics }]: [Filter]) =>
      logs.filter(
        log => fits(address, log.address) && topics.every((topic, i) => fits(topic, log.topics[i])),
      ),
    eth_getBlockByHash: ([hash]: string[]) => blocks.find(block => block.hash === hash),
    eth_getTransactionByHash: ([hash]: string[]) => ({ hash, from: senders[hash ?? ''] }),
  } as never
  const upstream = await startUpstream(async (request: IncomingMessage, response: ServerResponse) => {
    const asked = (await json(request)) as { id: number; method: string; params: never[] }[]
    if (Array.isArray(asked) && !batches) return void response.writeHead(400).end('no batches')
    const said = [asked]
      .flat()
      .map(({ id, method, params }) => ({ jsonrpc: '2.0', id, result: methods[method]?.(params) ?? null }))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? said : said[0]))
  })
  return upstream.url
}

async function read(recording: Recorded, wallet: string, block: number, batches = true) {
  const reader = new EvmReader({
    network: 'base',
    rpcUrls: [await nodeOf(recording, batches)],
    perSecond: 1000,
  })
  const { transfers } = await reader.read(
    { wallets: [wallet], from: block, until: block },
    new AbortController().signal,
  )
  return transfers.sort((a, b) => a.position - b.position)
}

test('a block with payments of every form, each recognised by the log next to its transfer', async () => {
  const transfers = await read(recorded(), '0x00000000000000000000000000000000000005e1', 0x2ae9845)
  expect(
    transfers.map(({ position, method, amount, nonce, facilitator }) => [
      position,
      method,
      amount,
      nonce?.slice(0, 4) ?? null,
      facilitator,
    ]),
  ).toEqual([
    [0x11, 'eip3009', 10000n, '0x11', '0x8f5cb67b49555e614892b7233cfddebfb746e531'],
    // Two payments in one transaction, followed by a transfer that nobody authorized.
    [0x21, 'eip3009', 1000n, '0x22', '0x8f5cb67b49555e614892b7233cfddebfb746e531'],
    [0x23, 'eip3009', 2000n, '0x33', '0x8f5cb67b49555e614892b7233cfddebfb746e531'],
    [0x24, 'plain', 3000n, null, null],
    [0x30, 'permit2_upto', 4000n, null, '0x222c4367a2950f3b53af260e111fc3060b0983ff'],
    [0x32, 'permit2_exact', 5000n, null, '0x222c4367a2950f3b53af260e111fc3060b0983ff'],
    // The log before it is an authorization, but in another transaction.
    [0x41, 'plain', 6000n, null, null],
    [0x50, 'plain', 1000000n, null, null],
  ])
  expect(transfers[0]).toMatchObject({
    block: 0x2ae9845,
    atMs: 0x69e78c00 * 1000,
    payTo: '0x00000000000000000000000000000000000005e1',
  })
})

test('a node that accepts no batches gets single calls', async () => {
  const wallet = '0x00000000000000000000000000000000000005e1'
  const [all, one] = [
    await read(recorded(), wallet, 0x2ae9845),
    await read(recorded(), wallet, 0x2ae9845, false),
  ]
  expect(one).toEqual(all)
})

testRecorded('a settlement as it stands on Base', async ({ samples }) => {
  const sample = (name: string) => JSON.parse(readFileSync(join(samples, 'g-onchain', name), 'utf8'))
  const logs = sample('base-getLogs-0x833e9ae8-RECONSTRUCTED.json').result as Log[]
  const tx = sample('base-tx-0x833e9ae8-real-partial.json')
  const { from_, to, value, nonce } = tx._decoded
  const hash = hashOf('b10c')
  const transfers = await read(
    {
      logs: logs.map(log => ({ ...log, blockHash: hash })),
      blocks: [{ hash, number: tx.blockNumber, timestamp: '0x69e78c00' }],
      senders: { [tx.hash]: tx.from },
    },
    to,
    Number(tx.blockNumber),
  )
  expect(transfers).toMatchObject([
    {
      tx: tx.hash,
      position: 1437,
      block: 44996677,
      payer: from_,
      payTo: to,
      amount: BigInt(value),
      nonce,
      method: 'eip3009',
      facilitator: tx.from,
    },
  ])
})

interface Refused {
  id: number
  params: { fromBlock: string; toBlock: string }[]
}

async function refusing(message: string, code = -32000) {
  const asked: number[] = []
  const upstream = await startUpstream(async (request, response) => {
    const { id, params } = (await json(request)) as Refused
    const blocks = Number(params[0]?.toBlock) - Number(params[0]?.fromBlock) + 1
    asked.push(blocks)
    const said = blocks > 500 ? { error: { code, message } } : { result: [] }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  const url = `${upstream.url}/v2/a-key-of-ours`
  const reader = new EvmReader({ network: 'base', rpcUrls: [url], perSecond: 1000 })
  const wanted = { wallets: ['0x00000000000000000000000000000000000005e1'], from: 1, until: 2000 }
  return { asked, read: () => reader.read(wanted, new AbortController().signal) }
}

test.each([
  'query returned more than 10000 results. Try with this block range [0x1, 0x2]',
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range',
  'eth_getLogs is limited to a 10,000 range',
  'exceed maximum block range: 500',
  'block range is too wide',
  'ranges over 10000 blocks are not supported on freetier',
  'query exceeds max results 20000',
  'backend response too large',
])('"%s" means fewer blocks', async message => {
  const { asked, read } = await refusing(message)
  expect(await read()).toEqual({ to: 500, transfers: [] })
  expect(asked.slice(0, 3)).toEqual([2000, 1000, 500])
})

test.each([
  ['rate limit exceeded', -32005],
  ['Too many requests, limit is 10 requests per second', 429],
  ['the weather is too bad', -32000],
])('"%s" asks for a later try, and also for fewer blocks in case it means that', async (message, code) => {
  const { asked, read } = await refusing(message, code)
  const failure = await read().catch(error => String(error))
  expect(failure).toMatch(/no base node answers/)
  expect(failure).not.toContain('a-key-of-ours')
  expect(asked).toEqual([2000, 2000])
  await read().catch(() => {})
  expect(asked[2]).toBe(1000)
})

/** A node that says this of its safe head. */
async function withSafe(said: object) {
  const upstream = await startUpstream(async (request: IncomingMessage, response: ServerResponse) => {
    const { id } = (await json(request)) as { id: number }
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  return new EvmReader({ network: 'base', rpcUrls: [upstream.url], perSecond: 1000 })
}

test('the safe head is told where the node knows one', async () => {
  const reader = await withSafe({ result: { number: '0x10', hash: hashOf('1'), timestamp: '0x20' } })
  expect(await reader.safe(new AbortController().signal)).toEqual({
    ...{ block: 16, hash: hashOf('1'), atMs: 32_000 },
  })
})

test.each([
  ['an older node', { error: { code: -32602, message: 'invalid argument 0: hex string without 0x prefix' } }],
  ['a node that has seen none yet', { result: null }],
])('%s tells no safe head, and is not called broken for it', async (_, said) => {
  expect(await (await withSafe(said)).safe(new AbortController().signal)).toBeUndefined()
})

test('a node that does not answer is not one without a safe head', async () => {
  const reader = new EvmReader({ network: 'base', rpcUrls: ['http://127.0.0.1:9'], perSecond: 1000 })
  await expect(reader.safe(new AbortController().signal)).rejects.toThrow(/no base node answers/)
})
