/** A small market on a play-money EVM chain: two pools, and real Uniswap contracts at their real addresses. */
import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  createTestClient,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  padHex,
  parseAbi,
  stringToHex,
  toHex,
} from 'viem'
import { markets } from '../../pipelines/domains/chain/evm/chains/index.ts'
import type { EvmMarket } from '../../pipelines/domains/chain/evm/market.ts'
import { chainOfNetwork, chains } from '../../schemas/tables/chains.ts'
import { type EvmNetworkName, networks } from '../../schemas/tables/networks.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { evmClient } from './evm-chain.ts'
import { evmAccount } from './keys.ts'

/** Swaps and mints for its caller. */
export const traderAddress: Address = '0x00000000000000000000000000000000fa4e7a0e'

export const abi = parseAbi([
  'function deposit() payable',
  'function mint(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function createPair(address a, address b) returns (address)',
  'function getPair(address a, address b) view returns (address)',
  'function createPool(address a, address b, uint24 fee) returns (address)',
  'function getPool(address a, address b, uint24 fee) view returns (address)',
  'function initialize(uint160 sqrtPriceX96)',
])
const pairAbi = parseAbi(['function mint(address to) returns (uint256)'])
const traderAbi = parseAbi([
  'function mint(address pool, int24 lower, int24 upper, uint128 liquidity)',
  'function swap(address pool, bool zeroForOne, int256 amount, uint160 limit)',
])

const isMarketOf = (network: EvmNetworkName): network is EvmNetworkName & keyof typeof markets =>
  Object.hasOwn(markets, network)

const require = createRequire(import.meta.url)
/** The contracts come from development packages, so only the sandbox has them. */
const built = {
  weth: () => `0x${require('@uniswap/v2-periphery/build/WETH9.json').evm.deployedBytecode.object}` as Hex,
  v2Router: () =>
    require('@uniswap/v2-periphery/build/UniswapV2Router02.json') as { abi: Abi; bytecode: string },
  v2Factory: () =>
    `0x${require('@uniswap/v2-core/build/UniswapV2Factory.json').evm.deployedBytecode.object}` as Hex,
  v3Factory: () =>
    require('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json') as {
      abi: Abi
      bytecode: Hex
    },
}

/** Every field of a transaction is fixed, so its hash and its fee are the same at every start. */
const given = { gas: 8_000_000n, gasPrice: 10n ** 10n }
const whole = 10n ** 18n
const dollars = (amount: number) => BigInt(amount) * 1_000_000n

export async function layMarket(network: EvmNetworkName, rpcUrl: string): Promise<void> {
  if (!isMarketOf(network)) return
  const market = markets[network]
  const usdc = networks[network].asset
  const client = evmClient(network, rpcUrl, 'payTo')
  const me = client.account.address
  let nonce = await client.getTransactionCount({ address: me })
  const send = (to: Address | undefined, data: Hex, value = 0n) =>
    client.sendTransaction({ ...given, to, data, value, nonce: nonce++ } as never)
  const call = (to: Address, functionName: string, args: readonly unknown[]) =>
    send(to, encodeFunctionData({ abi, functionName, args } as never))
  const mined = (hash: Hex) => client.waitForTransactionReceipt({ hash })

  const { v2, v3 } = await layContracts(network, rpcUrl, market, send)
  const token = getContractAddress({ from: me, nonce: BigInt(nonce) })
  const supply = 100_000_000n * whole
  await send(undefined, playToken('Fare Play Token', 'FARE', supply))
  await call(usdc, 'mint', [me, dollars(10_000_000)])
  await send(market.wrapped, encodeFunctionData({ abi, functionName: 'deposit' }), 1000n * whole)
  await call(v2, 'createPair', [token, usdc])
  await mined(await call(v3, 'createPool', [market.wrapped, usdc, 500]))

  const [pair, pool] = await Promise.all([
    client.readContract({ address: v2, abi, functionName: 'getPair', args: [token, usdc] }),
    client.readContract({ address: v3, abi, functionName: 'getPool', args: [market.wrapped, usdc, 500] }),
  ])
  // 2,000,000 dollars for 40,000,000 of the token: five cents each.
  await call(token, 'transfer', [pair, 40_000_000n * whole])
  await call(usdc, 'transfer', [pair, dollars(2_000_000)])
  await send(pair, encodeFunctionData({ abi: pairAbi, functionName: 'mint', args: [me] }))
  await call(token, 'transfer', [evmAccount('payer').address, 1000n * whole])
  // About 3,000 dollars for one coin, over the whole range.
  const coinIsZero = BigInt(market.wrapped) < BigInt(usdc)
  const dollarsInAtoms = 3000e6 / 1e18
  const root = Math.sqrt(coinIsZero ? dollarsInAtoms : 1 / dollarsInAtoms)
  await call(pool, 'initialize', [BigInt(Math.floor(root * 2 ** 48)) * 2n ** 48n])
  await call(usdc, 'approve', [traderAddress, dollars(10_000_000)])
  await call(market.wrapped, 'approve', [traderAddress, 1000n * whole])
  const liquidity = BigInt(Math.floor(900e18 * Math.sqrt(dollarsInAtoms)))
  await mined(
    await send(
      traderAddress,
      encodeFunctionData({
        abi: traderAbi,
        functionName: 'mint',
        args: [pool, -887_270, 887_270, liquidity],
      }),
    ),
  )
}

const playToken = (name: string, symbol: string, supply: bigint): Hex =>
  `${bytecode.playtoken as Hex}${encodeAbiParameters(
    [{ type: 'string' }, { type: 'string' }, { type: 'uint256' }],
    [name, symbol, supply],
  ).slice(2)}`

/** Places WETH and the factories at their real addresses, with the storage that their constructors would write. */
async function layContracts(
  network: EvmNetworkName,
  rpcUrl: string,
  market: EvmMarket,
  send: (to: undefined, data: Hex) => Promise<Hex>,
): Promise<{ v2: Address; v3: Address }> {
  const client = evmClient(network, rpcUrl, 'payTo')
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  const of = (kind: string) =>
    market.factories.find(each => each.kind === kind) as EvmMarket['factories'][number]
  const [v2, v3] = [of('uniswap_v2').address, of('uniswap_v3').address]
  const { contractAddress } = await client.waitForTransactionReceipt({
    hash: await send(undefined, built.v3Factory().bytecode),
  })
  const laid = contractAddress as Address
  const code = (await client.getCode({ address: laid })) as Hex
  const store = (address: Address, index: Hex, value: Hex) =>
    node.setStorageAt({ address, index, value } as never)
  await Promise.all([
    node.setCode({ address: market.wrapped, bytecode: built.weth() }),
    store(market.wrapped, slot(0), shortText('Wrapped Ether')),
    store(market.wrapped, slot(1), shortText('WETH')),
    store(market.wrapped, slot(2), slot(18)),
    node.setCode({ address: v2, bytecode: built.v2Factory() }),
    node.setCode({
      address: of('uniswap_v2').router,
      bytecode: await routerCode(client, v2, market.wrapped),
    }),
    // The code contains its own address, so that nobody can run it from another one.
    node.setCode({
      address: v3,
      bytecode: code.replaceAll(laid.slice(2).toLowerCase(), v3.slice(2).toLowerCase()) as Hex,
    }),
    ...Object.entries(spacings).map(([fee, spacing]) =>
      store(v3, keccak256(`${slot(Number(fee))}${slot(spacingsSlot).slice(2)}`), slot(spacing)),
    ),
    node.setCode({ address: traderAddress, bytecode: bytecode.trader as Hex }),
    ...otherDollars(network).map(address => node.setCode({ address, bytecode: tetherCode })),
  ])
  return { v2, v3 }
}

/** Each balance counts the dollars of its chain, so that all of them must be there. Nobody holds these. */
function otherDollars(network: EvmNetworkName): Address[] {
  const name = chainOfNetwork(network)
  const usdt = name && chains[name].usdt
  return usdt ? [usdt as Address] : []
}

/** The play USDC under another symbol. */
const tetherCode = bytecode.usdc.replaceAll(stringToHex('USDC').slice(2), stringToHex('USDT').slice(2)) as Hex

/** What its constructor would place, which a call tells as well. */
async function routerCode(
  client: ReturnType<typeof evmClient>,
  factory: Address,
  wrapped: Address,
): Promise<Hex> {
  const { abi: own, bytecode } = built.v2Router()
  const creation = { abi: own, bytecode: `0x${bytecode.replace(/^0x/, '')}` as Hex, args: [factory, wrapped] }
  const { data } = await client.call({ data: encodeDeployData(creation) })
  return data as Hex
}

const spacings = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const
/** The place of `feeAmountTickSpacing` in the storage of the v3 factory. */
const spacingsSlot = 4
const slot = (n: number): Hex => padHex(toHex(n), { size: 32 })
/** A string of less than 32 bytes, as Solidity stores it: the text, and twice its length in the last byte. */
const shortText = (text: string): Hex =>
  `0x${stringToHex(text, { size: 32 }).slice(2, 64)}${(2 * text.length).toString(16).padStart(2, '0')}`
