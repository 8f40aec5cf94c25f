/** The logs about one EIP-3009 authorization: its use or its cancellation, and its own transfer. */
import {
  type Address,
  decodeEventLog,
  encodeEventTopics,
  formatLog,
  type Hex,
  isAddressEqual,
  type Log,
  type LogTopic,
  numberToHex,
  type PublicClient,
  parseAbi,
  type RpcLog,
  type RpcTransactionReceipt,
  toEventSelector,
} from 'viem'
import { isTooMuch } from './refusal.ts'

export interface Authorization {
  from: string
  to: string
  value: string
  nonce: string
  /** The end of its life, in seconds, as the payer has signed it. */
  valid_before: number
}

const abi = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const [used, canceled, transfer] = abi.map(event => toEventSelector(event)) as [Hex, Hex, Hex]

/** Nodes give 10 to 10,000 blocks of logs at once. */
const mostBlocks = 2000n
/** The calls for logs in one look. The next look continues at the same place. */
const mostLogCalls = 60

export interface Node {
  client: PublicClient
  host: string
  /** The number of blocks that this node gives at once. */
  span: bigint
}

export const openNode = (client: PublicClient, host: string): Node => ({ client, host, span: mostBlocks })

/** Throws where the authorization is none that a chain can be asked about. */
export const topicsOf = ({ from, nonce }: Authorization) =>
  encodeEventTopics({
    abi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: from as Address, nonce: nonce as Hex },
  }).slice(1) as Hex[]

const isUse = (log: Log, topics: Hex[]): boolean =>
  log.topics[0] === used &&
  topics.every((topic, i) => log.topics[i + 1]?.toLowerCase() === topic.toLowerCase())

interface End {
  kind: 'used' | 'cancelled'
  tx: Hex
  blockHash: Hex
}

/** The first log that ends the authorization. `next`: there was none before this block, and more blocks follow. */
export async function endOf(
  node: Node,
  asset: Address,
  authorization: Authorization,
  [start, head]: readonly [bigint, bigint],
): Promise<End | { next: bigint } | undefined> {
  const topics: LogTopic[] = [[used, canceled], ...topicsOf(authorization)]
  let fromBlock = start
  for (let calls = 0; fromBlock <= head; calls++) {
    if (calls === mostLogCalls) return { next: fromBlock }
    const last = fromBlock + node.span - 1n
    const toBlock = last < head ? last : head
    try {
      const [first] = (await node.client.request({
        method: 'eth_getLogs',
        params: [
          { address: asset, topics, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) },
        ],
      })) as RpcLog[]
      if (first?.transactionHash && first.blockHash)
        return {
          kind: first.topics[0] === used ? 'used' : 'cancelled',
          tx: first.transactionHash,
          blockHash: first.blockHash,
        }
      fromBlock = toBlock + 1n
    } catch (error) {
      if (!isTooMuch(error) || node.span === 1n) throw error
      node.span = (toBlock - fromBlock + 1n) / 2n || 1n
    }
  }
  return undefined
}

interface Use {
  blockHash: Hex
  /** The index in the block of the transfer by this use. Undefined if it paid nobody, another payee or another amount. */
  position: number | undefined
}

/**
 * The use of the authorization in this transaction. USDC marks an authorization as used and moves the money at once,
 * so the transfer of a use is the token's next log. Any other transfer of the transaction belongs to another purpose,
 * even if it looks alike. Undefined if the transaction does not use it.
 */
export async function useIn(
  { client }: Node,
  asset: Address,
  tx: Hex,
  authorization: Authorization,
): Promise<Use | undefined> {
  const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [tx] })
  return receipt ? useBy(receipt, asset, authorization) : undefined
}

/** The same, in a receipt that is at hand. */
export function useBy(
  receipt: RpcTransactionReceipt,
  asset: Address,
  authorization: Authorization,
): Use | undefined {
  if (receipt.status !== '0x1') return undefined
  const topics = topicsOf(authorization)
  const logs = receipt.logs
    .map(log => formatLog(log))
    .filter(({ address }) => isAddressEqual(address, asset))
    .toSorted((a, b) => Number(a.logIndex) - Number(b.logIndex))
  const at = logs.findIndex(log => isUse(log, topics))
  if (at < 0) return undefined
  const next = logs[at + 1]
  const position = next && moves(next, authorization) ? Number(next.logIndex) : undefined
  return { blockHash: receipt.blockHash, position }
}

/** Is it a transfer of this amount between these two? */
export const transferIn = (log: RpcLog, terms: Pick<Authorization, 'from' | 'to' | 'value'>): boolean =>
  moves(formatLog(log), terms)

function moves(
  { topics, data }: Log,
  { from, to, value }: Pick<Authorization, 'from' | 'to' | 'value'>,
): boolean {
  if (topics[0] !== transfer || topics.length !== 3) return false
  const { args } = decodeEventLog({ abi, eventName: 'Transfer', topics, data })
  return (
    isAddressEqual(args.from, from as Address) &&
    isAddressEqual(args.to, to as Address) &&
    args.value === BigInt(value)
  )
}
