/** A market on a real anvil with the contracts of Uniswap, for tests and for the benchmark of chain reads. */
import { readFileSync } from 'node:fs'
import solc from 'solc'
import {
  type Abi,
  type Address,
  createTestClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { markets } from '../../../../pipelines/domains/chain/evm/chains/index.ts'
import { spanOf } from '../../../../pipelines/domains/chain/evm/past.ts'
import { v4Id, v4Key } from '../../../../pipelines/domains/chain/evm/v4.ts'
import { openChains } from '../../../../pipelines/domains/chain/open-chains.ts'
import type { ChainReader } from '../../../../pipelines/domains/chain/reader.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { evmClient, startEvmChain } from '../../../../services/sandbox/evm-chain.ts'
import { layMarket, abi as marketAbi, traderAddress } from '../../../../services/sandbox/evm-market.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import type { V4Contracts } from './v4-package.ts'

const abi = parseAbi([
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function begin(address pair)',
  'function skim(address to)',
  'function sync()',
  'function mint(address to) returns (uint256)',
  'function swap(uint256 out0, uint256 out1, address to, bytes data)',
  'function getAmountOut(uint256 amountIn, address tokenIn) view returns (uint256)',
  'function token0() view returns (address)',
])
const solidlyAbi = parseAbi([
  'function createPool(address a, address b, bool stable) returns (address)',
  'function getPool(address a, address b, bool stable) view returns (address)',
])
const slipstreamAbi = parseAbi([
  'function createPool(address a, address b, int24 spacing, address code) returns (address)',
  'function getPool(address a, address b, int24 spacing) view returns (address)',
])
const traderAbi = parseAbi([
  'function mint(address pool, int24 lower, int24 upper, uint128 liquidity)',
  'function swap(address pool, bool zeroForOne, int256 amount, uint160 limit)',
])

/** Ticks around the price, and the liquidity between them. */
interface Range {
  below: number
  above: number
  liquidity: bigint
}

interface Contract {
  abi: Abi
  bytecode: Hex
}

export function compiled(source = 'tokens.sol'): Record<string, Contract & { deployed: Hex }> {
  const content = readFileSync(new URL(source, import.meta.url), 'utf8')
  const input = {
    language: 'Solidity',
    sources: { [source]: { content } },
    settings: {
      evmVersion: 'cancun',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const broken = (output.errors ?? []).filter(({ severity }: { severity: string }) => severity === 'error')
  if (broken.length) throw new Error(broken[0].formattedMessage)
  return Object.fromEntries(
    Object.entries(
      output.contracts[source] as Record<string, { abi: Abi; evm: Record<string, { object: string }> }>,
    ).map(([name, { abi: own, evm }]) => [
      name,
      {
        abi: own,
        bytecode: `0x${evm.bytecode?.object}` as Hex,
        deployed: `0x${evm.deployedBytecode?.object}` as Hex,
      },
    ]),
  )
}

export type Market = Awaited<ReturnType<typeof startMarket>>

const network = 'base' as const
export const usdc: Address = networks[network].asset
export const weth = markets[network].wrapped
export const dollars = (amount: number): bigint => BigInt(Math.round(amount * 1e6))
const factory = (kind: string) =>
  markets[network].factories.find(each => each.kind === kind)?.address as Address

export async function startMarket() {
  const contracts = compiled()
  const chain: PlayChain = await startEvmChain(network)
  try {
    return { ...(await market(chain, contracts)), chain, close: () => chain.close() }
  } catch (error) {
    await chain.close()
    throw error
  }
}

async function market({ rpcUrl }: PlayChain, contracts: ReturnType<typeof compiled>) {
  await layMarket(network, rpcUrl)
  const client = evmClient(network, rpcUrl, 'payTo')
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  const me = client.account.address
  const mined = async (sent: Promise<Hex>) => client.waitForTransactionReceipt({ hash: await sent })
  const send = (to: Address | undefined, data: Hex, value = 0n) =>
    mined(client.sendTransaction({ to, data, value, gas: 9_000_000n } as never))
  const call = (to: Address, functionName: string, args: readonly unknown[]) =>
    send(to, encodeFunctionData({ abi: [...abi, ...marketAbi], functionName, args } as never))

  const solidly = factory('solidly')
  await node.setCode({ address: solidly, bytecode: contracts.SolidlyFactory?.deployed as Hex })
  await call(usdc, 'mint', [me, dollars(1e9)])
  await call(usdc, 'approve', [traderAddress, 2n ** 255n])
  await call(weth, 'approve', [traderAddress, 2n ** 255n])
  await node.mine({ blocks: spanOf(network) })

  const deploy = async (name: string, ...args: unknown[]): Promise<Address> => {
    const { abi: own, bytecode } = contracts[name] as Contract
    const { contractAddress } = await send(undefined, encodeDeployData({ abi: own, bytecode, args } as never))
    return contractAddress as Address
  }
  const readAddress = (address: Address, functionName: string, args: readonly unknown[]) =>
    client.readContract({ address, abi: marketAbi, functionName, args } as never) as Promise<Address>

  /** So old that its price can be compared with an earlier one. */
  const aged = async (pool: Hex): Promise<Hex> => {
    await node.mine({ blocks: spanOf(network) })
    return pool
  }

  /** Made with amounts in atoms. */
  const v2Pool = async (token: Address, tokens: bigint, quote: Address, quotes: bigint): Promise<Address> => {
    await call(factory('uniswap_v2'), 'createPair', [token, quote])
    const pair = await readAddress(factory('uniswap_v2'), 'getPair', [token, quote])
    await call(token, 'transfer', [pair, tokens])
    await call(quote, 'transfer', [pair, quotes])
    await send(pair, encodeFunctionData({ abi, functionName: 'mint', args: [me] }))
    return aged(pair)
  }

  const solidlyPool = async (
    token: Address,
    tokens: bigint,
    stable: boolean,
    quote: Address,
    quotes: bigint,
    isYoung = false,
  ): Promise<Address> => {
    await send(
      solidly,
      encodeFunctionData({ abi: solidlyAbi, functionName: 'createPool', args: [token, quote, stable] }),
    )
    const pool = await client.readContract({
      address: solidly,
      abi: solidlyAbi,
      functionName: 'getPool',
      args: [token, quote, stable],
    })
    await call(token, 'transfer', [pool, tokens])
    await call(quote, 'transfer', [pool, quotes])
    await call(pool, 'sync', [])
    return isYoung ? pool : aged(pool)
  }

  const fill = async (
    pool: Address,
    token: Address,
    quote: Address,
    spacing: number,
    price: number,
    ranges: readonly Range[],
  ): Promise<Address> => {
    const ratio = BigInt(token) < BigInt(quote) ? price : 1 / price
    await call(pool, 'initialize', [BigInt(Math.floor(Math.sqrt(ratio) * 2 ** 60)) * 2n ** 36n])
    await call(token, 'approve', [traderAddress, 2n ** 255n])
    const tick = Math.floor(Math.log(ratio) / Math.log(1.0001))
    const at = (wanted: number) =>
      Math.max(-887_200, Math.min(887_200, Math.floor(wanted / spacing) * spacing)) - 0
    for (const { below, above, liquidity } of ranges) {
      const [lower, upper] = [Math.ceil(at(tick - below) / spacing) * spacing, at(tick + above)]
      await send(
        traderAddress,
        encodeFunctionData({ abi: traderAbi, functionName: 'mint', args: [pool, lower, upper, liquidity] }),
      )
    }
    return aged(pool)
  }

  const emptyV3Pool = async (token: Address, quote: Address, fee: number): Promise<Address> => {
    const v3 = factory('uniswap_v3')
    await call(v3, 'createPool', [token, quote, fee])
    return readAddress(v3, 'getPool', [token, quote, fee])
  }

  /** `price`: atoms of the quote token for one atom of the token. */
  type RangedPool = (
    token: Address,
    quote: Address,
    fee: number,
    price: number,
    ranges: readonly Range[],
  ) => Promise<Address>

  const v3Pool: RangedPool = async (token, quote, fee, price, ranges) => {
    const pool = await emptyV3Pool(token, quote, fee)
    const spacing = { 100: 1, 500: 10, 3000: 60, 10000: 200 }[fee] as number
    return fill(pool, token, quote, spacing, price, ranges)
  }

  /** A pool of Uniswap v3 that reports another address and another fee, and has the read functions of Slipstream. */
  const slipstreamPool: RangedPool = async (token, quote, fee, price, ranges) => {
    const slipstream = factory('slipstream')
    const own = { fee: 10_000, spacing: 200 }
    const model = await emptyV3Pool(token, quote, own.fee)
    const laid = (await client.getCode({ address: model })) as Hex
    const code = numberToHex(BigInt(model) ^ 1n, { size: 20 })
    await node.setCode({ address: slipstream, bytecode: contracts.SlipstreamFactory?.deployed as Hex })
    const args = [token, quote, own.spacing] as const
    await send(
      slipstream,
      encodeFunctionData({ abi: slipstreamAbi, functionName: 'createPool', args: [...args, code] }),
    )
    const pool = await client.readContract({
      address: slipstream,
      abi: slipstreamAbi,
      functionName: 'getPool',
      args,
    })
    const word = (n: number) => numberToHex(n, { size: 32 }).slice(2)
    const bytecode = laid
      .replaceAll(model.slice(2).toLowerCase(), pool.slice(2).toLowerCase())
      .replaceAll(word(own.fee), word(fee)) as Hex
    await node.setCode({ address: code, bytecode })
    return fill(pool, token, quote, own.spacing, price, ranges)
  }

  const layV4 = async (contracts: V4Contracts) => {
    const lay = async (name: keyof V4Contracts, args: readonly unknown[]) => {
      const { abi: own, bytecode } = contracts[name]
      const data = encodeDeployData({ abi: own, bytecode: bytecode.object, args } as never)
      return (await send(undefined, data)).contractAddress as Address
    }
    const manager = factory('uniswap_v4')
    const laid = await lay('PoolManager', [me])
    const code = (await client.getCode({ address: laid })) as Hex
    // It knows its own address, so that nobody can call its code from another one.
    const own = manager.slice(2).toLowerCase()
    await node.setCode({
      address: manager,
      bytecode: code.replaceAll(laid.slice(2).toLowerCase(), own) as Hex,
    })
    const liquidityRouter = await lay('PoolModifyLiquidityTest', [manager])
    const swapRouter = await lay('PoolSwapTest', [manager])
    for (const router of [liquidityRouter, swapRouter]) {
      await call(usdc, 'approve', [router, 2n ** 255n])
      await call(weth, 'approve', [router, 2n ** 255n])
    }
    const keyed = { hooks: zeroAddress }
    const exec = (
      to: Address,
      name: keyof V4Contracts,
      functionName: string,
      args: readonly unknown[],
      value = 0n,
    ) => send(to, encodeFunctionData({ abi: contracts[name].abi, functionName, args } as never), value)

    /** The zero address is the native coin. */
    const v4Pool = async (
      token: Address,
      quote: Address,
      { fee, spacing }: { fee: number; spacing: number },
      price: number,
      ranges: readonly Range[],
    ) => {
      const key = { ...v4Key(token, quote, fee, spacing), ...keyed }
      const ratio = BigInt(token) < BigInt(quote) ? price : 1 / price
      const root = BigInt(Math.floor(Math.sqrt(ratio) * 2 ** 60)) * 2n ** 36n
      await exec(manager, 'PoolManager', 'initialize', [key, root])
      if (token !== zeroAddress) await call(token, 'approve', [liquidityRouter, 2n ** 255n])
      if (token !== zeroAddress) await call(token, 'approve', [swapRouter, 2n ** 255n])
      const tick = Math.floor(Math.log(ratio) / Math.log(1.0001))
      const at = (wanted: number) =>
        Math.max(-887_200, Math.min(887_200, Math.round(wanted / spacing) * spacing))
      const isNative = [token, quote].includes(zeroAddress)
      for (const { below, above, liquidity } of ranges) {
        const params = {
          tickLower: Math.ceil(at(tick - below) / spacing) * spacing,
          tickUpper: Math.floor(at(tick + above) / spacing) * spacing,
          liquidityDelta: liquidity,
          salt: `0x${'0'.repeat(64)}`,
        }
        const args = [key, params, '0x']
        await exec(
          liquidityRouter,
          'PoolModifyLiquidityTest',
          'modifyLiquidity',
          args,
          isNative ? 2000n * 10n ** 18n : 0n,
        )
      }
      return aged(v4Id(key))
    }
    const v4Trade = (
      token: Address,
      quote: Address,
      { fee, spacing }: { fee: number; spacing: number },
      zeroForOne: boolean,
      amount: bigint,
      sqrtPriceLimitX96: bigint,
    ) => {
      const key = { ...v4Key(token, quote, fee, spacing), ...keyed }
      const params = { zeroForOne, amountSpecified: -amount, sqrtPriceLimitX96 }
      const settings = { takeClaims: false, settleUsingBurn: false }
      return exec(swapRouter, 'PoolSwapTest', 'swap', [key, params, settings, '0x'])
    }
    return { v4Pool, v4Trade }
  }

  const trade = (pool: Address, zeroForOne: boolean, amount: bigint, limit: bigint) =>
    send(
      traderAddress,
      encodeFunctionData({ abi: traderAbi, functionName: 'swap', args: [pool, zeroForOne, amount, limit] }),
    )

  const reader = (urls: readonly string[] = [rpcUrl], now: () => number = Date.now): ChainReader =>
    openChains({ [network]: { urls, perSecond: 100_000 } }, now)(network)

  return {
    network,
    rpcUrl,
    client,
    node,
    me,
    send,
    call,
    deploy,
    v2Pool,
    solidlyPool,
    v3Pool,
    slipstreamPool,
    trade,
    layV4,
    reader,
    contracts,
  }
}
