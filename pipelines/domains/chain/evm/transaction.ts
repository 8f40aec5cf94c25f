/** Shows a transaction: whether it succeeded, its fee, and the movements in its logs. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  type Hex,
  hexToBigInt,
  hexToNumber,
  type PublicClient,
  size,
  toFunctionSelector,
} from 'viem'
import { chains, type EvmChainName } from '../../../../schemas/tables/chains.ts'
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { costIn, type GasReceipt } from '../../payments/cost.ts'
import type { ChainRefused, NodesDisagree, Transaction } from '../reader.ts'
import { disagree } from './confirmed.ts'
import { type EvmLog, movementsIn, shownTransfers } from './movements.ts'
import type { EvmNodes } from './nodes.ts'
import { shownAddress } from './token.ts'
import { saidBy } from './trial-reading.ts'

/** The fields of JSON-RPC that are read. Chains on top of Ethereum add the fee of its data. */
interface RawTransaction {
  from: Address
  to: Address | null
  value: Hex
  input: Hex
  gas: Hex
  blockNumber: Hex | null
}

interface RawReceipt extends GasReceipt {
  status?: Hex
  blockNumber: Hex
  contractAddress: Address | null
  logs: EvmLog[]
}

interface RawBlock {
  number: Hex
  timestamp: Hex
}

const methods = [
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'multicall(bytes[])',
  'execute(bytes,bytes[],uint256)',
  'deposit()',
  'withdraw(uint256)',
  'mint(address,uint256)',
]
const signatures = new Map(methods.map(method => [toFunctionSelector(method), method] as const))

const note =
  'transfers are read from the logs; native coin that a contract sends within the transaction leaves no log, and is not among them'

export async function transactionOf(
  nodes: EvmNodes,
  hash: string,
): Promise<Transaction | ChainRefused<'unknown_transaction'> | NodesDisagree> {
  const { answer, source, url } = await nodes.ask(client => read(client, nodes.chain, hash))
  const { tx, receipt, latest, finalized, own, reason } = answer
  if (!tx)
    return {
      refused: 'unknown_transaction',
      because: `${source} knows no transaction ${hash} on ${chains[nodes.chain].title}: it was never sent, or the hash is of a block, the id of a v4 pool or a user operation`,
    }
  const second = receipt && (await secondReceipt(nodes, url, hash, receipt))
  if (second && !second.isSame) return disagree(nodes, `of transaction ${hash}`, source, second.source)
  const { native } = chains[nodes.chain]
  const inCoins = (atoms: bigint) => fromAtoms(atoms, native.decimals)
  const value = hexToBigInt(tx.value)
  const at = receipt ? hexToNumber(receipt.blockNumber) : null
  const newest = hexToNumber(latest.number)
  const moved =
    receipt && receipt.status !== '0x0' ? receipt.logs.flatMap(log => movementsIn(log, nodes.chain)) : []
  return {
    chain: nodes.chain,
    block: newest,
    fetched_at: instant(nodes.now()),
    source,
    confirmed_by: second?.source ?? null,
    hash,
    status: !receipt ? 'pending' : receipt.status === '0x0' ? 'failed' : 'success',
    tx_block: at,
    block_time: own ? instant(hexToNumber(own.timestamp) * 1000) : null,
    confirmations: at === null ? 0 : Math.max(0, newest - at + 1),
    finalized: at !== null && finalized !== null && at <= hexToNumber(finalized.number),
    from: shownAddress(tx.from),
    to: tx.to && shownAddress(tx.to),
    created: receipt?.contractAddress ? shownAddress(receipt.contractAddress) : null,
    value: inCoins(value),
    fee: (receipt && costIn(receipt)?.coins) ?? null,
    method: methodOf(tx),
    transfers: [...coinsMoved(tx, receipt, nodes.chain), ...(await shownTransfers(nodes, moved))],
    revert_reason: reason,
    note,
  }
}

const patienceMs = 2500

/** Undefined if there is no second node, or it does not know the transaction yet, or does not answer in time. */
async function secondReceipt(nodes: EvmNodes, url: string, hash: string, first: RawReceipt) {
  const asked = nodes.askOther(url, client =>
    client.request({ method: 'eth_getTransactionReceipt', params: [hash] } as never),
  )
  // The world fails: the answer says that it is not confirmed.
  const told = await Promise.race([
    asked?.catch(() => undefined),
    sleep(patienceMs, undefined, { ref: false }),
  ])
  const other = told?.answer as RawReceipt | null | undefined
  return told && other ? { source: told.source, isSame: gist(other) === gist(first) } : undefined
}

/** The fields of a receipt that are about money. Nodes differ in the others. */
const gist = ({ status, blockNumber, gasUsed, logs }: RawReceipt): string =>
  JSON.stringify([
    status,
    Number(blockNumber),
    Number(gasUsed),
    logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]),
  ])

/** The native coin that the transaction itself sends. */
function coinsMoved(tx: RawTransaction, receipt: RawReceipt | null, chain: EvmChainName) {
  const value = hexToBigInt(tx.value)
  if (receipt === null || receipt.status === '0x0' || value === 0n) return []
  const { native } = chains[chain]
  return [
    {
      standard: 'native' as const,
      token: null,
      symbol: native.symbol,
      from: shownAddress(tx.from),
      to: tx.to ? shownAddress(tx.to) : (receipt.contractAddress ?? null),
      amount: fromAtoms(value, native.decimals),
      raw: String(value),
      token_id: null,
    },
  ]
}

/** Everything that a node has about it, at one moment. */
async function read(client: PublicClient, chain: EvmChainName, hash: string) {
  const rpc = <T>(method: string, ...params: unknown[]) =>
    client.request({ method, params } as never) as Promise<T>
  const block = (tag: string) => rpc<RawBlock | null>('eth_getBlockByNumber', tag, false)
  const [chainId, tx, receipt, latest, finalized] = await Promise.all([
    rpc<Hex>('eth_chainId'),
    rpc<RawTransaction | null>('eth_getTransactionByHash', hash),
    rpc<RawReceipt | null>('eth_getTransactionReceipt', hash),
    block('latest'),
    // A node without final blocks reports that as an error.
    block('finalized').catch(() => null),
  ])
  if (hexToNumber(chainId) !== chains[chain].chainId)
    throw new Error(`the node is of chain ${hexToNumber(chainId)}`)
  if (!latest) throw new Error('the node has no newest block')
  const own = receipt && (await block(receipt.blockNumber))
  const failed = tx && receipt && receipt.status === '0x0'
  return {
    tx,
    receipt,
    latest,
    finalized,
    own,
    reason: failed ? await reasonOf(tx, hexToNumber(receipt.blockNumber), rpc) : null,
  }
}

function methodOf({ input, to }: RawTransaction): string | null {
  if (!to || size(input) < 4) return null
  const selector = input.slice(0, 10) as Hex
  return signatures.get(selector) ?? selector
}

/** Runs it again on the block before. Its place within the block may matter, so this is not proof. */
async function reasonOf(
  { from, to, value, input, gas }: RawTransaction,
  block: number,
  rpc: <T>(method: string, ...params: unknown[]) => Promise<T>,
): Promise<string | null> {
  try {
    const before = `0x${Math.max(0, block - 1).toString(16)}`
    await rpc('eth_call', { from, ...(to && { to }), value, data: input, gas }, before)
    return null
  } catch (error) {
    const data = revertData(error)
    return data === undefined ? null : saidBy(data)
  }
}

function revertData(error: unknown): Hex | undefined {
  const { data, cause } = error as { data?: unknown; cause?: unknown }
  if (typeof data === 'string' && data.startsWith('0x')) return data as Hex
  return cause instanceof Error ? revertData(cause) : undefined
}
