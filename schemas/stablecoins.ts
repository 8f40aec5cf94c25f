/** Networks as catalogs call them, and the dollars of each: what a quote in atoms is worth. */

/** The names of x402 version 1. */
const namedNetworks: Readonly<Record<string, string>> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  polygon: 'eip155:137',
  'polygon-amoy': 'eip155:80002',
  avalanche: 'eip155:43114',
  'avalanche-fuji': 'eip155:43113',
  arbitrum: 'eip155:42161',
  'arbitrum-sepolia': 'eip155:421614',
  iotex: 'eip155:4689',
  sei: 'eip155:1329',
  'sei-testnet': 'eip155:1328',
  peaq: 'eip155:3338',
  abstract: 'eip155:2741',
  'abstract-testnet': 'eip155:11124',
  story: 'eip155:1514',
  monad: 'eip155:143',
  'monad-testnet': 'eip155:10143',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana:mainnet': 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana-testnet': 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
}

const testnets = new Set([
  ...['84532', '80002', '43113', '421614', '1328', '11124', '10143', '4801', '11155111'].map(
    chain => `eip155:${chain}`,
  ),
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
])

/** Each is worth a dollar. EVM addresses in lower case; those of Solana are case-sensitive. */
const decimalsByCoin: Readonly<Record<string, number>> = {
  'eip155:8453 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913': 6,
  'eip155:137 0x3c499c542cef5e3811e1192ce70d8cc03d5c3359': 6,
  'eip155:42161 0xaf88d065e77c8cc2239327c5edb3a432268e5831': 6,
  'eip155:143 0x754704bc059f8c67012fed69bc8a327a5aafb603': 6,
  'eip155:988 0x779ded0c9e1022225f8e0630b35a9b54be713736': 6,
  'eip155:4326 0xfafddbb3fc7688494971a79cc65dca3ef82079e7': 18,
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v': 6,
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB': 6,
}

export const caip2 = (network: string): string => namedNetworks[network.toLowerCase()] ?? network

export const isTestnet = (network: string): boolean => testnets.has(network)

/** EVM addresses mean the same in any case, base58 does not. */
export const plainAddress = (address: string): string =>
  /^0x[0-9a-fA-F]{40}$/.test(address) ? address.toLowerCase() : address

/** Undefined: no stablecoin that we know, so nothing is said about its price. */
export const stablecoinDecimals = (network: string, asset: string): number | undefined =>
  decimalsByCoin[`${network} ${plainAddress(asset)}`]

/** 7000 atoms of 6 decimals are 0.007, exactly. */
export function fromAtoms(atoms: bigint, decimals: number): string {
  const digits = String(atoms).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return fraction ? `${whole}.${fraction}` : whole
}
