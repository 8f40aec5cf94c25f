/** Reads the events in which the factories of a chain report new pools. */

import {
  type AbiEvent,
  type Address,
  createPublicClient,
  type Hex,
  http,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import type { ChainPool } from '../../../../schemas/chain-pools.ts'
import { chains, type EvmChainName } from '../../../../schemas/tables/chains.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { Bounded } from '../../../rails/bounded.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { Endpoints, TooMuch } from '../../payments/endpoints.ts'
import { isTooMuch } from '../../payments/evm/refusal.ts'
import type { ChainNodes } from '../reader.ts'
import { markets } from './chains/index.ts'
import type { Factory } from './market.ts'

const abis = {
  uniswap_v2: parseAbi([
    'event PairCreated(address indexed token0, address indexed token1, address pool, uint256 count)',
  ]),
  uniswap_v3: parseAbi([
    'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  ]),
  solidly: parseAbi([
    'event PoolCreated(address indexed token0, address indexed token1, bool indexed stable, address pool, uint256 count)',
  ]),
  slipstream: parseAbi([
    'event PoolCreated(address indexed token0, address indexed token1, int24 indexed tickSpacing, address pool)',
  ]),
  uniswap_v4: parseAbi([
    'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  ]),
} as const satisfies Record<Factory['kind'], unknown>

interface Created {
  token0: Address
  token1: Address
  pool: Hex
  fee?: number
  tickSpacing?: number
  stable?: boolean
  hooks?: Address
}

/** The field names of Uniswap v4. */
interface Initialized extends Pick<Created, 'fee' | 'tickSpacing' | 'hooks'> {
  id: Hex
  currency0: Address
  currency1: Address
}

export interface FactoryLogs {
  chain: EvmChainName
  /** The newest final block. */
  final(signal: AbortSignal): Promise<number>
  /** Reads as many blocks as a node gives at once, beginning with the first, up to and including `to`. */
  read(from: number, until: number, signal: AbortSignal): Promise<{ to: number; pools: ChainPool[] }>
}

const mostBlocks = 2000
const timeoutMs = 20_000

export function openFactoryLogs(chain: EvmChainName, { urls, perSecond }: ChainNodes): FactoryLogs {
  const endpoints = new Endpoints({ network: chain, urls, perSecond })
  const clients = new Map<string, PublicClient>(
    urls.map(url => [
      url,
      createPublicClient({ transport: http(url, { fetchFn: nodeFetch, timeout: timeoutMs, retryCount: 0 }) }),
    ]),
  )
  const factories = new Map(markets[chain].factories.map(each => [each.address.toLowerCase(), each] as const))
  const times = new Bounded<string>({ most: 10_000 })
  /** The nodes that have shown that they belong to this chain. */
  const known = new Set<string>()
  let span = mostBlocks

  const ask = <T>(call: (client: PublicClient) => Promise<T>, signal: AbortSignal) =>
    endpoints.ask(async url => {
      try {
        const client = clients.get(url) as PublicClient
        if (!known.has(url) && (await client.getChainId()) !== chains[chain].chainId)
          throw new Error('the node is of another chain')
        known.add(url)
        return await call(client)
      } catch (error) {
        throw isTooMuch(error) ? new TooMuch(`${chain}: the node refuses so many blocks`) : error
      }
    }, signal)

  async function timeOf({ blockNumber, blockTimestamp }: Mined, signal: AbortSignal): Promise<string> {
    // Newer nodes put the time into the log.
    if (blockTimestamp) return instant(Number(blockTimestamp) * 1000)
    const name = String(blockNumber)
    const known = times.peek(name)
    if (known) return known
    const { timestamp } = await ask(client => client.getBlock({ blockNumber }), signal)
    const at = instant(Number(timestamp) * 1000)
    times.set(name, at)
    return at
  }

  return {
    chain,
    final: signal =>
      ask(async client => Number((await client.getBlock({ blockTag: 'finalized' })).number), signal),
    async read(from, until, signal) {
      for (;;) {
        const to = Math.min(from + span - 1, until)
        try {
          const address = [...factories.keys()] as Address[]
          const events = Object.values(abis).map(abi => abi[0] as AbiEvent)
          const range = { fromBlock: BigInt(from), toBlock: BigInt(to) }
          const logs = await ask(client => client.getLogs({ address, events, ...range }), signal)
          const pools: ChainPool[] = []
          for (const log of logs as (Log & Mined)[]) {
            const factory = factories.get(log.address.toLowerCase())
            const created = factory && createdBy(factory, log)
            if (created) pools.push(rowOf(chain, factory, created, log, await timeOf(log, signal)))
          }
          span = Math.min(mostBlocks, span * 2)
          return { to, pools }
        } catch (error) {
          span = Math.max(1, (to - from + 1) >> 1)
          if (!(error instanceof TooMuch) || to === from) throw error
        }
      }
    },
  }
}

interface Mined {
  blockNumber: bigint
  transactionHash: string
  blockTimestamp?: bigint | string
}

/** Two kinds of factory have events of the same form, so the factory decides how its log is read. */
function createdBy({ kind }: Factory, log: Log): Created | undefined {
  const [found] = parseEventLogs({ abi: abis[kind], logs: [log] })
  if (!found) return undefined
  const { id, currency0, currency1, ...rest } = found.args as unknown as Created & Initialized
  return kind === 'uniswap_v4' ? { ...rest, pool: id, token0: currency0, token1: currency1 } : rest
}

const rowOf = (
  chain: EvmChainName,
  factory: Factory,
  { token0, token1, pool, fee, tickSpacing, stable, hooks }: Created,
  { blockNumber, transactionHash }: Mined,
  at: string,
): ChainPool => ({
  chain,
  at,
  block: Number(blockNumber),
  tx: transactionHash,
  factory: factory.address.toLowerCase(),
  kind: factory.kind === 'solidly' ? (stable ? 'solidly_stable' : 'solidly_volatile') : factory.kind,
  pool: pool.toLowerCase(),
  token0: token0.toLowerCase(),
  token1: token1.toLowerCase(),
  fee: factory.kind === 'uniswap_v2' ? factory.fee : (fee ?? null),
  tick_spacing: tickSpacing ?? null,
  hooks: hooks && hooks !== zeroAddress ? hooks.toLowerCase() : null,
})
