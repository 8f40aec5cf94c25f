/** The networks of payments, a row each. Nothing else in the code names a network. */

interface AnyNetwork {
  /** The network's name for people. */
  title: string
  /** The id in quotes and for facilitators. */
  caip2: string
  /** The address of its USDC. */
  asset: string
  decimals: number
  /** The name in receipts. A test network uses the name of its main network. */
  receipt: string
  testnet: boolean
  /** Its variables of the environment. A test network uses those of its main network. */
  payTo: `PAY_TO_${string}`
  rpc: `${string}_RPC_URL`
  /** Where people look at a transaction, which takes the place of `{tx}`. */
  explorer: `https://${string}{tx}${string}`
  /** A public node, and its limit of requests per second. */
  publicNode: { url: string; perSecond: number }
  blockMs: number
  /** The unit of a range of the chain. */
  unit: 'blocks' | 'slots'
}

interface EvmNetwork extends AnyNetwork {
  family: 'evm'
  caip2: `eip155:${number}`
  asset: `0x${string}`
  /** The EIP-712 domain of its USDC, without chain and contract: payers sign authorizations for it. */
  domain: { name: string; version: string }
  /** The most that a unit of gas costs where settling by ourselves still pays, in gwei. */
  mostGwei: number
}

interface SvmNetwork extends AnyNetwork {
  family: 'svm'
  caip2: `solana:${string}`
}

type Network = EvmNetwork | SvmNetwork

/** The places behind the point of a chain's own coin, in which fees are paid: wei and lamports are whole. */
export const coinDecimals = { evm: 18, svm: 9 } as const

const evm = { family: 'evm', unit: 'blocks', decimals: 6, testnet: false } as const
const svm = { family: 'svm', unit: 'slots', decimals: 6, testnet: false } as const

export const networks = {
  base: {
    ...evm,
    title: 'Base',
    caip2: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    domain: { name: 'USD Coin', version: '2' },
    receipt: 'base',
    payTo: 'PAY_TO_BASE',
    rpc: 'BASE_RPC_URL',
    explorer: 'https://basescan.org/tx/{tx}',
    publicNode: { url: 'https://mainnet.base.org', perSecond: 4 },
    mostGwei: 0.5,
    blockMs: 2000,
  },
  'base-sepolia': {
    ...evm,
    testnet: true,
    title: 'Base Sepolia',
    caip2: 'eip155:84532',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    domain: { name: 'USDC', version: '2' },
    receipt: 'base',
    payTo: 'PAY_TO_BASE',
    rpc: 'BASE_RPC_URL',
    explorer: 'https://sepolia.basescan.org/tx/{tx}',
    publicNode: { url: 'https://sepolia.base.org', perSecond: 4 },
    mostGwei: 10,
    blockMs: 2000,
  },
  polygon: {
    ...evm,
    title: 'Polygon',
    caip2: 'eip155:137',
    asset: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    domain: { name: 'USD Coin', version: '2' },
    receipt: 'polygon',
    payTo: 'PAY_TO_POLYGON',
    rpc: 'POLYGON_RPC_URL',
    explorer: 'https://polygonscan.com/tx/{tx}',
    publicNode: { url: 'https://polygon.drpc.org', perSecond: 4 },
    mostGwei: 500,
    blockMs: 2000,
  },
  'polygon-amoy': {
    ...evm,
    testnet: true,
    title: 'Polygon Amoy',
    caip2: 'eip155:80002',
    asset: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    domain: { name: 'USDC', version: '2' },
    receipt: 'polygon',
    payTo: 'PAY_TO_POLYGON',
    rpc: 'POLYGON_RPC_URL',
    explorer: 'https://amoy.polygonscan.com/tx/{tx}',
    publicNode: { url: 'https://polygon-amoy.drpc.org', perSecond: 4 },
    mostGwei: 500,
    blockMs: 2000,
  },
  arbitrum: {
    ...evm,
    title: 'Arbitrum',
    caip2: 'eip155:42161',
    asset: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    domain: { name: 'USD Coin', version: '2' },
    receipt: 'arbitrum',
    payTo: 'PAY_TO_ARBITRUM',
    rpc: 'ARBITRUM_RPC_URL',
    explorer: 'https://arbiscan.io/tx/{tx}',
    publicNode: { url: 'https://arb1.arbitrum.io/rpc', perSecond: 4 },
    mostGwei: 0.5,
    blockMs: 250,
  },
  avalanche: {
    ...evm,
    title: 'Avalanche',
    caip2: 'eip155:43114',
    asset: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    domain: { name: 'USD Coin', version: '2' },
    receipt: 'avalanche',
    payTo: 'PAY_TO_AVALANCHE',
    rpc: 'AVALANCHE_RPC_URL',
    explorer: 'https://snowtrace.io/tx/{tx}',
    publicNode: { url: 'https://api.avax.network/ext/bc/C/rpc', perSecond: 4 },
    mostGwei: 50,
    blockMs: 1700,
  },
  solana: {
    ...svm,
    title: 'Solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    receipt: 'solana',
    payTo: 'PAY_TO_SOLANA',
    rpc: 'SOLANA_RPC_URL',
    explorer: 'https://solscan.io/tx/{tx}',
    publicNode: { url: 'https://api.mainnet-beta.solana.com', perSecond: 2 },
    blockMs: 400,
  },
  'solana-devnet': {
    ...svm,
    testnet: true,
    title: 'Solana Devnet',
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
    receipt: 'solana',
    payTo: 'PAY_TO_SOLANA',
    rpc: 'SOLANA_RPC_URL',
    explorer: 'https://solscan.io/tx/{tx}?cluster=devnet',
    publicNode: { url: 'https://api.devnet.solana.com', perSecond: 2 },
    blockMs: 400,
  },
} as const satisfies Record<string, Network>

export type NetworkName = keyof typeof networks
type Row = (typeof networks)[NetworkName]
export type ReceiptNetwork = Row['receipt']
type NameIn<Family> = {
  [Name in NetworkName]: (typeof networks)[Name]['family'] extends Family ? Name : never
}[NetworkName]
export type EvmNetworkName = NameIn<'evm'>
export type SvmNetworkName = NameIn<'svm'>

export const isEvm = (name: NetworkName): name is EvmNetworkName => networks[name].family === 'evm'

/**
 * The default of NETWORKS. Every ingest reads payments on these, whatever NETWORKS says, because the market counts
 * them.
 */
export const mainNetworks = ['base', 'solana'] as const satisfies readonly NetworkName[]

type NonEmpty<T> = readonly [T, ...T[]]
const distinct = <T>(values: readonly T[]) => [...new Set(values)] as unknown as NonEmpty<T>

export const networkNames = Object.keys(networks) as unknown as NonEmpty<NetworkName>
const rows: readonly Row[] = Object.values(networks)
export const receiptNetworks = distinct(rows.map(({ receipt }) => receipt))
export const payToVariables = distinct(rows.map(({ payTo }) => payTo))
export const rpcVariables = distinct(rows.map(({ rpc }) => rpc))
/** The variable of the keys that pay fees on a network. A test network uses that of its main network. */
export const settleKeyOf = (name: NetworkName) =>
  `SETTLE_KEY_${networks[name].receipt.toUpperCase() as Uppercase<ReceiptNetwork>}` as const
export const settleKeyVariables = distinct(networkNames.map(settleKeyOf))
/** The variable of the key that pays refunds on a network. A test network uses that of its main network. */
export const refundKeyOf = (name: NetworkName) =>
  `REFUND_KEY_${networks[name].receipt.toUpperCase() as Uppercase<ReceiptNetwork>}` as const
export const refundKeyVariables = distinct(networkNames.map(refundKeyOf))
/** The variable of the key that the canary buys with on a network. A test network uses that of its main network. */
export const canaryKeyOf = (name: NetworkName) =>
  `CANARY_KEY_${networks[name].receipt.toUpperCase() as Uppercase<ReceiptNetwork>}` as const
export const canaryKeyVariables = distinct(networkNames.map(canaryKeyOf))
/** The variable of the facilitators of one network. A test network uses that of its main network. */
export const facilitatorVariableOf = (name: NetworkName) =>
  `FACILITATOR_URL_${networks[name].receipt.toUpperCase() as Uppercase<ReceiptNetwork>}` as const
export const facilitatorVariables = distinct(networkNames.map(facilitatorVariableOf))

/** The form of addresses and transactions in each family. */
export const families = {
  evm: {
    address: /^0x[0-9a-fA-F]{40}$/,
    addressWords: 'an address of 0x and 40 hex digits',
    transaction: /^0x[0-9a-fA-F]{64}$/,
  },
  svm: {
    address: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    addressWords: 'a Solana address in base58',
    transaction: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
  },
} as const satisfies Record<Network['family'], object>

/** Of addresses and transactions. Hex may be written in either case. A name of Solana may not. */
export const isSameName = (one: string, other: string): boolean =>
  one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase())

export const familyOf = (caip2: string): Network['family'] => (caip2.startsWith('eip155:') ? 'evm' : 'svm')
