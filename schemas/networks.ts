/** What a network is called here, on chain, and in its USDC. */
export const networks = {
  base: {
    receipt: 'base',
    chain: 'base',
    caip2: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    domain: { name: 'USD Coin', version: '2' },
  },
  solana: {
    receipt: 'solana',
    chain: 'solana',
    caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
  'base-sepolia': {
    receipt: 'base',
    chain: 'base',
    caip2: 'eip155:84532',
    asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    domain: { name: 'USDC', version: '2' },
  },
  'solana-devnet': {
    receipt: 'solana',
    chain: 'solana',
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    asset: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  },
} as const

export type NetworkName = keyof typeof networks
