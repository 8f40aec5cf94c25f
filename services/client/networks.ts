/** The USDC of each network. The client pays with nothing else, and a quote can only choose among these rows. */

export interface Network {
  /** Its name for people. */
  name: string
  /** Its id in quotes. */
  id: string
  /** Its USDC, which has 6 decimals everywhere. */
  usdc: string
  /** The EIP-712 domain of its USDC. A network of Solana has none. */
  domain?: { name: string; version: string }
}

export const networks: readonly Network[] = [
  // networks: derived from schemas/tables/networks.ts; `npm run docs` writes it.
  {
    name: 'base',
    id: 'eip155:8453',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    domain: { name: 'USD Coin', version: '2' },
  },
  {
    name: 'base-sepolia',
    id: 'eip155:84532',
    usdc: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    domain: { name: 'USDC', version: '2' },
  },
  {
    name: 'polygon',
    id: 'eip155:137',
    usdc: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    domain: { name: 'USD Coin', version: '2' },
  },
  {
    name: 'polygon-amoy',
    id: 'eip155:80002',
    usdc: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    domain: { name: 'USDC', version: '2' },
  },
  {
    name: 'arbitrum',
    id: 'eip155:42161',
    usdc: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    domain: { name: 'USD Coin', version: '2' },
  },
  {
    name: 'avalanche',
    id: 'eip155:43114',
    usdc: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
    domain: { name: 'USD Coin', version: '2' },
  },
  {
    name: 'solana',
    id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    usdc: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
  {
    name: 'solana-devnet',
    id: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    usdc: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
  // /networks
]

export const networkNames = networks.map(({ name }) => name)
export const networkId = (name: string): string => networks.find(each => each.name === name)?.id ?? name
export const networkName = (id: string): string => networks.find(each => each.id === id)?.name ?? id
