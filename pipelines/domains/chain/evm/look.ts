/** Makes many calls at one block, in one request, through Multicall3. */
import {
  type Address,
  decodeFunctionResult,
  type Hex,
  hexToBigInt,
  hexToNumber,
  type PublicClient,
  parseAbi,
  size,
  slice,
} from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { aggregated, type ContractCall, callOf } from './call.ts'
import { markets } from './chains/index.ts'
import type { EvmNodes } from './nodes.ts'
import type { Returned } from './words.ts'

export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

const abi = parseAbi([
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3() returns (Result[])',
])

export interface EvmBlock {
  number: number
  atMs: number
  /** Identifies the past of the block: if it changes at the same number, the chain has dropped blocks. */
  parent: Hex
}

interface Sight {
  block: EvmBlock
  source: string
  returned: Returned[]
}

const mostCalls = 400
/** A node lags if its newest block is older than this time, or than this many blocks. */
const staleMs = 60_000
const staleBlocks = 10

const [chainId, height, seconds, parent] = [
  callOf(multicall3, 'getChainId()'),
  callOf(multicall3, 'getBlockNumber()'),
  callOf(multicall3, 'getCurrentBlockTimestamp()'),
  callOf(multicall3, 'getLastBlockHash()'),
]

export const nativeBalance = (account: Address): ContractCall =>
  callOf(multicall3, 'getEthBalance(address)', account)

/** Without a block, it looks at the newest one. Later calls of the same question name that block. */
export async function look(nodes: EvmNodes, calls: readonly ContractCall[], at?: EvmBlock): Promise<Sight> {
  const first = await lookOnce(nodes, calls.slice(0, mostCalls), at)
  const returned = [...first.returned]
  for (let i = mostCalls; i < calls.length; i += mostCalls)
    returned.push(...(await lookOnce(nodes, calls.slice(i, i + mostCalls), first.block)).returned)
  return { ...first, returned }
}

const givenBy = ({ success, returnData }: { success: boolean; returnData: Hex }): Returned =>
  success && size(returnData) > 0 ? returnData : undefined

async function lookOnce(
  nodes: EvmNodes,
  calls: readonly ContractCall[],
  at: EvmBlock | undefined,
): Promise<Sight> {
  const header = [chainId, markets[nodes.chain].height ?? height, seconds, parent]
  // The last call shows whether the earlier ones have left any gas.
  const all = [...header, ...calls, chainId]
  const { answer: results, source } = await nodes.ask(async client => {
    const results = await answered(client, all, at)
    if (results && results.length !== all.length)
      throw new UpstreamFailed(`the node answered ${results.length} of ${all.length} calls`)
    return results && { block: checked(nodes, results.slice(0, header.length), at), results }
  })
  const asked = results?.results.slice(header.length)
  if (results && (asked?.at(-1)?.success || calls.length < 2))
    return {
      block: results.block,
      source,
      returned: (asked ?? []).slice(0, -1).map(givenBy),
    }
  // One call has burnt the gas of all. Each half is asked on its own, until that call is alone.
  const known = results ? { block: results.block, source } : await lookOnce(nodes, [], at)
  if (calls.length < 2) return { ...known, returned: [undefined] }
  const half = calls.length >> 1
  const [left, right] = [
    await lookOnce(nodes, calls.slice(0, half), known.block),
    await lookOnce(nodes, calls.slice(half), known.block),
  ]
  return { ...left, returned: [...left.returned, ...right.returned] }
}

/** Undefined if the calls together need more gas than the node gives. */
async function answered(client: PublicClient, calls: readonly ContractCall[], at: EvmBlock | undefined) {
  try {
    const reply = await client.call({
      to: multicall3,
      data: aggregated(calls),
      ...(at ? { blockNumber: BigInt(at.number) } : { blockTag: 'latest' as const }),
    })
    if (!reply.data) throw new UpstreamFailed('there is no Multicall3 at this block')
    return decodeFunctionResult({ abi, functionName: 'aggregate3', data: reply.data })
  } catch (error) {
    if (isGas(error)) return undefined
    throw error
  }
}

/** What an earlier block held. `returned` has no values if nobody could be asked there yet. */
interface PastSight {
  atMs: number
  returned: Returned[]
}

/** Makes calls at an earlier block. Undefined if the node has forgotten its state, or does not answer. */
export async function lookBack(
  nodes: EvmNodes,
  calls: readonly ContractCall[],
  number: number,
): Promise<PastSight | undefined> {
  const { answer } = await nodes.ask(async client => {
    const returned: Returned[] = []
    let atMs = 0
    try {
      for (let i = 0; i < calls.length; i += mostCalls) {
        const data = aggregated([chainId, seconds, ...calls.slice(i, i + mostCalls)])
        const reply = await client.call({ to: multicall3, data, blockNumber: BigInt(number) })
        if (!reply.data) return { atMs, returned: calls.map(() => undefined) }
        const results = decodeFunctionResult({ abi, functionName: 'aggregate3', data: reply.data })
        const [id, at, ...told] = results.map(givenBy)
        if (!id || !at || hexToNumber(id) !== chains[nodes.chain].chainId) return undefined
        atMs = Number(hexToBigInt(at)) * 1000
        returned.push(...told)
      }
    } catch {
      // Most nodes keep the states of the last blocks alone. The node is not blamed, and the answer says so.
      return undefined
    }
    return { atMs, returned }
  })
  return answer
}

/** The words of nodes for a call that needs more gas than they give. Each node has its own. */
const gasWords = /out ?of ?gas|OOG|gas required exceeds|memory limit|execution (reverted|aborted)/i
export const isGas = (error: unknown): boolean =>
  error instanceof Error && gasWords.test(`${error.message} ${(error as { details?: string }).details ?? ''}`)

function checked(
  { chain, now }: EvmNodes,
  header: readonly { success: boolean; returnData: Hex }[],
  at: EvmBlock | undefined,
): EvmBlock {
  const [id, number, seconds, parent] = header.map(({ success, returnData }) =>
    success && size(returnData) >= 32 ? slice(returnData, 0, 32) : undefined,
  )
  if (!id || !number || !seconds || !parent) throw new UpstreamFailed('the node cannot name its block')
  if (hexToNumber(id) !== chains[chain].chainId)
    throw new UpstreamFailed(
      `the node is of chain ${hexToNumber(id)}, and ${chain} is ${chains[chain].chainId}`,
    )
  const block = { number: hexToNumber(number), atMs: Number(hexToBigInt(seconds)) * 1000, parent }
  if (at && (block.number !== at.number || block.parent !== at.parent || block.atMs !== at.atMs))
    throw new UpstreamFailed(`the chain has dropped block ${at.number} while it was read`)
  const oldestMs = Math.max(staleMs, staleBlocks * chains[chain].blockMs)
  if (!at && now() - block.atMs > oldestMs)
    throw new UpstreamFailed(
      `the newest block of the node is ${Math.round((now() - block.atMs) / 1000)} s old`,
    )
  return block
}
