/** The chains whose state we read, a row each. A chain that payers can also pay on takes its facts from `networks`. */
import { coinDecimals, type NetworkName, networks, rpcVariables } from './networks.ts'

interface AnyChain {
  /** The chain's name for people. */
  title: string
  /** What people call it as well, in small letters. */
  called?: readonly string[]
  /** The variable of the environment that names its nodes. */
  rpc: `${string}_RPC_URL`
  /** The node to use if the variable is unset. If absent, the chain is then not configured. */
  publicNode?: { url: string; perSecond: number }
  blockMs: number
  native: { symbol: string; decimals: number }
  /** Circle's own USDC, never a bridged one. */
  usdc: string
  /** Tether's own USDT. Null if Tether issues none there. */
  usdt: string | null
}

interface EvmChain extends AnyChain {
  family: 'evm'
  chainId: number
}

interface SvmChain extends AnyChain {
  family: 'svm'
}

type Chain = EvmChain | SvmChain

const ether = { symbol: 'ETH', decimals: coinDecimals.evm }
const { base, solana, arbitrum, polygon } = networks
const idOf = (caip2: string) => Number(caip2.split(':')[1])
const payable = <Row extends (typeof networks)[keyof typeof networks]>(row: Row) => ({
  title: row.title,
  rpc: row.rpc as Row['rpc'],
  blockMs: row.blockMs,
  usdc: row.asset as Row['asset'],
})

export const chains = {
  base: {
    ...payable(base),
    family: 'evm',
    chainId: idOf(base.caip2),
    publicNode: base.publicNode,
    native: ether,
    usdt: null,
  },
  ethereum: {
    family: 'evm',
    title: 'Ethereum',
    called: ['eth'],
    rpc: 'ETHEREUM_RPC_URL',
    chainId: 1,
    publicNode: { url: 'https://eth.drpc.org', perSecond: 4 },
    blockMs: 12_000,
    native: ether,
    usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    usdt: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  solana: {
    ...payable(solana),
    called: ['sol'],
    family: 'svm',
    publicNode: solana.publicNode,
    native: { symbol: 'SOL', decimals: coinDecimals.svm },
    usdt: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  },
  arbitrum: {
    ...payable(arbitrum),
    called: ['arb'],
    family: 'evm',
    chainId: idOf(arbitrum.caip2),
    native: ether,
    usdt: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  },
  optimism: {
    family: 'evm',
    title: 'OP Mainnet',
    called: ['op'],
    rpc: 'OPTIMISM_RPC_URL',
    chainId: 10,
    blockMs: 2000,
    native: ether,
    usdc: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    usdt: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  },
  polygon: {
    ...payable(polygon),
    called: ['pol', 'matic'],
    family: 'evm',
    chainId: idOf(polygon.caip2),
    native: { symbol: 'POL', decimals: coinDecimals.evm },
    usdt: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  },
} as const satisfies Record<string, Chain>

export type ChainName = keyof typeof chains
type NameIn<Family> = {
  [Name in ChainName]: (typeof chains)[Name]['family'] extends Family ? Name : never
}[ChainName]
export type EvmChainName = NameIn<'evm'>
export type SvmChainName = NameIn<'svm'>

export const isEvmChain = (name: ChainName): name is EvmChainName => chains[name].family === 'evm'

export const chainNames = Object.keys(chains) as unknown as readonly [ChainName, ...ChainName[]]

/** Each chain by its name, its title, what people call it, its CAIP-2 id and its number. */
const byAnyName = new Map<string, ChainName>(
  chainNames.flatMap(name => {
    const chain: Chain = chains[name]
    const id = chain.family === 'evm' ? `eip155:${chain.chainId}` : networks[name as NetworkName].caip2
    const number = chain.family === 'evm' ? [String(chain.chainId)] : []
    const names = [name, chain.title, ...(chain.called ?? []), id, ...number]
    return names.map(each => [each.toLowerCase(), name] as const)
  }),
)

/** The chain that somebody means, if there is one of this name. */
export const chainCalled = (name: string): ChainName | undefined => byAnyName.get(name.trim().toLowerCase())

export const publicNodeOf = (name: ChainName): AnyChain['publicNode'] => (chains[name] as Chain).publicNode

/** Undefined for a network whose state we do not read: a test network, or one without a row above. */
export const chainOfNetwork = (name: NetworkName): ChainName | undefined =>
  Object.hasOwn(chains, name) ? (name as ChainName) : undefined

/** The variables of chains without payments. */
export const readOnlyVariables = chainNames
  .map(name => chains[name].rpc)
  .filter(
    (rpc): rpc is Exclude<typeof rpc, (typeof rpcVariables)[number]> =>
      !(rpcVariables as readonly string[]).includes(rpc),
  )
