/** A node's view of the payments that the stub facilitator has settled: enough of an EVM chain for the till. */
import { encodeAbiParameters, encodeEventTopics, type Hex, numberToHex, parseAbi } from 'viem'
import { networks } from '../../../schemas/tables/networks.ts'

export interface Moved {
  from: string
  to: string
  value: string
  nonce: string
  tx: string
}

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const head = 1_000n
const hash = `0x${'c'.repeat(64)}`
const yes = numberToHex(1, { size: 32 })
const no = numberToHex(0, { size: 32 })

interface Call {
  id: number
  method: string
  params?: unknown[]
}

/** The selector of `balanceOf(address)`. */
const balanceOf = '0x70a08231'

/** `funds`: the USDC of every wallet, in the smallest unit. */
export function chainAnswer(moved: readonly Moved[], body: string, funds = 1_000_000_000n): object {
  const { id, method, params = [] } = JSON.parse(body) as Call
  return { jsonrpc: '2.0', id, result: resultOf(moved, method, params, funds) }
}

function resultOf(moved: readonly Moved[], method: string, [asked, at]: unknown[], funds: bigint): unknown {
  if (method === 'eth_getBlockByNumber' || method === 'eth_getBlockByHash') return block()
  if (method === 'eth_getCode') return '0x'
  if (method === 'eth_call') {
    const { data } = asked as { data: string }
    if (data.startsWith(balanceOf)) return numberToHex(funds, { size: 32 })
    const isUsed = moved.some(({ nonce }) => data.endsWith(nonce.slice(2)))
    return isUsed && at === numberToHex(head) ? yes : no
  }
  if (method === 'eth_getLogs') {
    const { topics } = asked as { topics: string[] }
    return moved.filter(({ nonce }) => topics[2] === nonce).map(one => logsOf(one)[0])
  }
  const found = moved.find(({ tx }) => tx === asked)
  return found ? { status: '0x1', blockHash: hash, logs: logsOf(found) } : null
}

const block = () => ({
  number: numberToHex(head),
  hash,
  timestamp: numberToHex(Math.floor(Date.now() / 1000)),
  transactions: [],
})

function logsOf({ from, to, value, nonce, tx }: Moved) {
  const place = { address: networks.base.asset, transactionHash: tx, blockHash: hash }
  const more = { blockNumber: numberToHex(head), transactionIndex: '0x0', removed: false }
  const use = { authorizer: from as Hex, nonce: nonce as Hex }
  const transfer = { from: from as Hex, to: to as Hex }
  const amount = encodeAbiParameters([{ type: 'uint256' }], [BigInt(value)])
  return [
    {
      topics: encodeEventTopics({ abi, eventName: 'AuthorizationUsed', args: use }),
      data: '0x',
      logIndex: '0x0',
    },
    {
      topics: encodeEventTopics({ abi, eventName: 'Transfer', args: transfer }),
      data: amount,
      logIndex: '0x1',
    },
  ].map(log => ({ ...log, ...place, ...more }))
}
