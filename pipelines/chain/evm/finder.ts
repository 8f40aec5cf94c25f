/** What the till asks of an EVM chain: did this authorization move its money, and is this payer a contract? */
import {
  type Address,
  createPublicClient,
  type Hex,
  http,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
} from 'viem'
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

interface Head {
  number: bigint
  timestamp: bigint
}

export interface EvmFinder {
  /** `sinceMs`: the payment was not settled before this time. */
  find(authorization: Authorization, sinceMs: number): Promise<Finding>
  isContract(address: string): Promise<boolean>
}

export interface EvmFinderOptions {
  network: EvmNetworkName
  /** The first that can tell is believed. */
  rpcUrls: readonly string[]
}

const windowBlocks = 2000n
const sinceMarginSeconds = 120n
const marginBlocks = 30n

type Client = ReturnType<typeof clientOf>
const clientOf = (url: string) =>
  createPublicClient({ transport: http(url, { timeout: 4000, retryCount: 0 }) })

export function openEvmFinder({ network, rpcUrls }: EvmFinderOptions): EvmFinder {
  const clients = rpcUrls.map(url => ({ client: clientOf(url), host: new URL(url).host }))
  const { asset: address, blockMs } = networks[network]
  const contracts = new Remembered<boolean>(10_000)

  /** Rejects when no node answers. `isEnough`: the next node need not be asked. */
  async function ask<T>(
    call: (client: Client) => Promise<T>,
    isEnough: (answer: T) => boolean = () => true,
  ): Promise<T> {
    const silent: string[] = []
    let answer: { said: T } | undefined
    for (const { client, host } of clients) {
      try {
        answer = { said: await call(client) }
        if (isEnough(answer.said)) return answer.said
      } catch (error) {
        // The world fails: the next node is asked. viem's long messages hold the address, which may hold a key.
        silent.push(`${host}: ${(error as { shortMessage?: string }).shortMessage ?? (error as Error).name}`)
      }
    }
    if (answer) return answer.said
    throw new Error(`no ${network} node answers: ${silent.join('; ')}`)
  }

  /** Finds a block from before this second. It is not much older while blocks keep their pace. */
  async function blockBefore(client: Client, second: bigint, head: Head): Promise<bigint> {
    const seconds = head.timestamp > second ? head.timestamp - second : 0n
    let back = (seconds * 1000n) / BigInt(blockMs) + marginBlocks
    for (;;) {
      if (back >= head.number) return 0n
      const { timestamp } = await client.getBlock({ blockNumber: head.number - back })
      if (timestamp <= second) return head.number - back
      back *= 2n
    }
  }

  /** Did the transaction that used the authorization move its money? Its receipt tells, whatever the index of logs holds. */
  async function pays(client: Client, hash: Hex, { from, to, value }: Authorization): Promise<boolean> {
    const { status, logs } = await client.getTransactionReceipt({ hash })
    if (status !== 'success') return false
    return parseEventLogs({ abi: [transfer], logs }).some(
      ({ address: token, args }) =>
        isAddressEqual(token, address) &&
        isAddressEqual(args.from, from as Address) &&
        isAddressEqual(args.to, to as Address) &&
        args.value === BigInt(value),
    )
  }

  /** The transaction of the first such event. Nodes take no more than so many blocks at once. */
  async function firstLog(
    client: Client,
    event: typeof used | typeof canceled,
    args: { authorizer: Address; nonce: Hex },
    [start, end]: readonly [bigint, bigint],
  ): Promise<Hex | undefined> {
    for (let fromBlock = start; fromBlock <= end; fromBlock += windowBlocks) {
      const last = fromBlock + windowBlocks - 1n
      const toBlock = last < end ? last : end
      const [log] = await client.getLogs({ address, event, args, fromBlock, toBlock })
      if (log) return log.transactionHash
    }
    return undefined
  }

  async function findAt(client: Client, authorization: Authorization, sinceMs: number): Promise<Finding> {
    const head = await client.getBlock()
    const args = { authorizer: authorization.from as Address, nonce: authorization.nonce as Hex }
    const spent = await client.readContract({
      abi,
      address,
      functionName: 'authorizationState',
      args: [args.authorizer, args.nonce],
      blockNumber: head.number,
    })
    const expired = head.timestamp > BigInt(authorization.valid_before)
    if (!spent) return { found: false, final: expired, reason: expired ? 'expired' : 'not_seen' }

    const since = BigInt(Math.floor(sinceMs / 1000)) - sinceMarginSeconds
    const range = [await blockBefore(client, since, head), head.number] as const
    const use = await firstLog(client, used, args, range)
    if (use && (await pays(client, use, authorization))) return { found: true, tx: use }
    if (use) return { found: false, final: true, reason: 'spent_elsewhere' }
    // The state is true after a cancel too.
    if (await firstLog(client, canceled, args, range))
      return { found: false, final: true, reason: 'cancelled' }
    // It was used, and this node does not show what for: its logs are behind. Nobody is told that no money has moved.
    return { found: false, final: false, reason: 'use_not_shown' }
  }

  return {
    find: (authorization, sinceMs) =>
      ask(
        client => findAt(client, authorization, sinceMs),
        said => said.found || said.reason !== 'use_not_shown',
      ),

    async isContract(at) {
      const key = at.toLowerCase()
      const known = contracts.get(key)
      if (known !== undefined) return known
      const code = await ask(client => client.getCode({ address: at as Address }))
      const contract = code !== undefined && code !== '0x'
      contracts.set(key, contract)
      return contract
    },
  }
}
