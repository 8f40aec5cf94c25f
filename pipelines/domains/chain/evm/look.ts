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
import type { EvmBlock } from './block.ts'
import { aggregated, type ContractCall, callOf } from './call.ts'
import { markets } from './chains/index.ts'
import type { EvmNodes } from './nodes.ts'
import type { Returned } from './words.ts'

export type { EvmBlock } from './block.ts'

export const multicall3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'

const abi = parseAbi([
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3() returns (Result[])',
])

/** The chain was younger than that contract. */
export class NoMulticall extends UpstreamFailed {
  override name = 'NoMulticall'
}

interface Sight {
  block: EvmBlock
  source: string
  returned: Returned[]
}

export const mostCalls = 400
/** A node lags if its newest block is older than this time, or than this many blocks. */
const staleMs = 60_000
const staleBlocks = 10

export const [chainId, height, seconds, parent] = [
  callOf(multicall3, 'getChainId()'),
  callOf(multicall3, 'getBlockNumber()'),
  callOf(multicall3, 'getCurrentBlockTimestamp()'),
  callOf(multicall3, 'getLastBlockHash()'),
]

/** The calls with which each look shows its chain and its block. */
export const headerOf = ({ chain }: EvmNodes) => [chainId, markets[chain].height ?? height, seconds, parent]

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

export const givenBy = ({ success, returnData }: { success: boolean; returnData: Hex }): Returned =>
  success && size(returnData) > 0 ? returnData : undefined

async function lookOnce(
  nodes: EvmNodes,
  calls: readonly ContractCall[],
  at: EvmBlock | undefined,
): Promise<Sight> {
  const header = headerOf(nodes)
  // The last call shows whether the earlier ones have left any gas.
  const all = [...header, ...calls, chainId]
  const {
    answer: results,
    source,
    url,
  } = await nodes.ask(async client => {
    const results = await answered(client, all, at)
    if (results && results.length !== all.length)
      throw new UpstreamFailed(`the node answered ${results.length} of ${all.length} calls`)
    return results && { block: checked(nodes, results.slice(0, header.length), at), results }
  })
  const asked = results?.results.slice(header.length)
  if (results && (asked?.at(-1)?.success || calls.length < 2)) {
    const { block } = results
    const returned = (asked ?? []).slice(0, -1).map(givenBy)
    nodes.witness?.push({ block, url, calls, returned })
    return { block, source, returned }
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
export async function answered(
  client: PublicClient,
  calls: readonly ContractCall[],
  at: Pick<EvmBlock, 'number'> | undefined,
) {
  try {
    const reply = await client.call({
      to: multicall3,
      data: aggregated(calls),
      ...(at ? { blockNumber: BigInt(at.number) } : { blockTag: 'latest' as const }),
    })
    if (!reply.data) throw new NoMulticall('there is no Multicall3 at this block')
    return decodeFunctionResult({ abi, functionName: 'aggregate3', data: reply.data })
  } catch (error) {
    if (isGas(error)) return undefined
    throw error
  }
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
