/** What the till asks of an EVM chain: did this authorization move its money, and is this payer a contract? */
import { type Address, createPublicClient, fallback, type Hex, http, parseAbi } from 'viem'
import { type EvmNetworkName, networks } from '../../../schemas/networks.ts'
import type { Finding } from '../finding.ts'
import { Remembered } from '../remembered.ts'

const abi = parseAbi([
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
const [, used, canceled, transfer] = abi

export interface Authorization {
  from: string
  to: string
  value: string
  nonce: string
  /** In seconds, as signed. */
  valid_before: number
}

export interface EvmFinder {
  /** `sinceMs`: the payment was not settled before this time. */
  find(authorization: Authorization, sinceMs: number): Promise<Finding>
  isContract(address: string): Promise<boolean>
}

export interface EvmFinderOptions {
  network: EvmNetworkName
  /** The first that answers is believed. */
  rpcUrls: readonly string[]
}

const windowBlocks = 2000n
/** The nodes behind one address are not equally far: one may not show yet what another knows. */
const lagSeconds = 60n
const sinceMarginSeconds = 120n
const marginBlocks = 30n

export function openEvmFinder({ network, rpcUrls }: EvmFinderOptions): EvmFinder {
  const client = createPublicClient({
    transport: fallback(
      rpcUrls.map(url => http(url, { timeout: 4000, retryCount: 0 })),
      { retryCount: 0 },
    ),
  })
  const { asset: address, blockMs } = networks[network]
  const contracts = new Remembered<boolean>(10_000)

  /** A block from before this second. It is only a little older, as long as the chain makes blocks at its usual pace. */
  async function blockBefore(second: bigint, head: { number: bigint; timestamp: bigint }): Promise<bigint> {
    const seconds = head.timestamp > second ? head.timestamp - second : 0n
    let back = (seconds * 1000n) / BigInt(blockMs) + marginBlocks
    for (;;) {
      if (back >= head.number) return 0n
      const { timestamp } = await client.getBlock({ blockNumber: head.number - back })
      if (timestamp <= second) return head.number - back
      back *= 2n
    }
  }

  /** The transaction between two blocks that used the authorization to pay. */
  async function paidIn(authorization: Authorization, from: bigint, to: bigint): Promise<string | undefined> {
    const range = { address, fromBlock: from, toBlock: to }
    const args = { authorizer: authorization.from as Address, nonce: authorization.nonce as Hex }
    const [use] = await client.getLogs({ ...range, event: used, args })
    if (!use) return undefined
    const moved = await client.getLogs({
      address,
      event: transfer,
      args: { from: authorization.from as Address, to: authorization.to as Address },
      fromBlock: use.blockNumber,
      toBlock: use.blockNumber,
    })
    const pays = moved.find(
      log => log.transactionHash === use.transactionHash && log.args.value === BigInt(authorization.value),
    )
    return pays?.transactionHash
  }

  return {
    async find(authorization, sinceMs) {
      const head = await client.getBlock()
      const args = [authorization.from as Address, authorization.nonce as Hex] as const
      const spent = await client.readContract({
        abi,
        address,
        functionName: 'authorizationState',
        args,
        blockNumber: head.number,
      })
      const expired = head.timestamp > BigInt(authorization.valid_before)
      if (!spent) return { found: false, final: expired, reason: expired ? 'expired' : 'not_seen' }

      const since = BigInt(Math.floor(sinceMs / 1000)) - sinceMarginSeconds
      const start = await blockBefore(since, head)
      for (let from = start; from <= head.number; from += windowBlocks) {
        const to = from + windowBlocks - 1n < head.number ? from + windowBlocks - 1n : head.number
        const tx = await paidIn(authorization, from, to)
        if (tx) return { found: true, tx }
      }
      // The state is true after a cancel too. Only the transfer proves a payment.
      const [cancel] = await client.getLogs({
        address,
        event: canceled,
        args: { authorizer: args[0], nonce: args[1] },
        fromBlock: start,
        toBlock: head.number,
      })
      const final = cancel !== undefined || head.timestamp > BigInt(authorization.valid_before) + lagSeconds
      return { found: false, final, reason: cancel ? 'cancelled' : 'spent_elsewhere' }
    },

    async isContract(at) {
      const key = at.toLowerCase()
      const known = contracts.get(key)
      if (known !== undefined) return known
      const code = await client.getCode({ address: at as Address })
      const contract = code !== undefined && code !== '0x'
      contracts.set(key, contract)
      return contract
    },
  }
}
