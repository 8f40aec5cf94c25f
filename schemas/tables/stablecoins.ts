/** The names that catalogs use for networks, and the stablecoins of each: they give a quote in atoms its price. */

import { withoutEnd } from '../values/text-end.ts'
import { families, networkNames, networks } from './networks.ts'

/** The names of x402 version 1 for networks that are not in our table. */
const otherNames: Readonly<Record<string, string>> = {
  'avalanche-fuji': 'eip155:43113',
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
  'solana:mainnet': networks.solana.caip2,
  'solana-testnet': 'solana:4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
}

const otherTestnets = [
  ...['43113', '421614', '1328', '11124', '10143', '4801', '11155111'].map(chain => `eip155:${chain}`),
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSGkY3z',
]

/** Stablecoins other than the USDC of our networks. EVM addresses are in lower case; Solana's are case-sensitive. */
const otherDollars: Readonly<Record<string, number>> = {
  'eip155:143 0x754704bc059f8c67012fed69bc8a327a5aafb603': 6,
  'eip155:988 0x779ded0c9e1022225f8e0630b35a9b54be713736': 6,
  'eip155:4326 0xfafddbb3fc7688494971a79cc65dca3ef82079e7': 18,
  [`${networks.solana.caip2} Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB`]: 6,
}

/** An EVM address is the same in any case; base58 is not. */
export const plainAddress = (address: string): string =>
  families.evm.address.test(address) ? address.toLowerCase() : address

const rows = Object.values(networks)
/** A Map, because strangers write the names for this look-up, and an object also has `constructor`. */
const caip2ByName = new Map([
  ...Object.entries(otherNames),
  ...networkNames.map(name => [name, networks[name].caip2] as const),
])
const testnets = new Set([
  ...otherTestnets,
  ...rows.filter(({ testnet }) => testnet).map(({ caip2 }) => caip2),
])
const decimalsByDollar = new Map<string, number>([
  ...Object.entries(otherDollars),
  ...rows
    .filter(({ testnet }) => !testnet)
    .map(({ caip2, asset, decimals }) => [`${caip2} ${plainAddress(asset)}`, decimals] as const),
])

export const caip2 = (network: string): string => caip2ByName.get(network.toLowerCase()) ?? network

export const isTestnet = (network: string): boolean => testnets.has(network)

/** Undefined if we do not know the asset as a stablecoin. Then it has no price. */
export const stablecoinDecimals = (network: string, asset: string): number | undefined =>
  decimalsByDollar.get(`${network} ${plainAddress(asset)}`)

/** Of a plain decimal text. Digits beyond the smallest unit are left out. */
export function toAtoms(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}

/** 7000 atoms of 6 decimals are 0.007, exactly. */
export function fromAtoms(atoms: bigint, decimals: number): string {
  const digits = String(atoms).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = withoutEnd(digits.slice(digits.length - decimals), '0')
  return fraction ? `${whole}.${fraction}` : whole
}
