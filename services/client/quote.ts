/** What a 402 asks for, and which of its offers is paid. */
export interface Offer {
  scheme: string
  network: string
  /** In the asset's smallest unit. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra?: Record<string, unknown>
}

export interface Quote {
  x402Version: 2
  resource: { url: string; description?: string }
  accepts: Offer[]
  extensions?: Record<string, unknown>
}

/** USDC has 6 decimals on every network that is paid on. */
const decimals = 6

export const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')
export const fromBase64 = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64').toString())

export function quoteIn(response: Response): Quote | undefined {
  const header = response.headers.get('payment-required')
  return header === null ? undefined : (fromBase64(header) as Quote)
}

/** Dollars, as text or number, in USDC's smallest unit. */
export function atomsOf(usd: string | number): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(usd))
  if (!match) throw new Error(`"${usd}" is not an amount of dollars`)
  return BigInt((match[1] ?? '') + (match[2] ?? '').padEnd(decimals, '0'))
}

export function usdOf(atoms: bigint | string): string {
  const digits = String(atoms).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

/** Names of networks as people write them, beside the ids that quotes have. */
const names: Record<string, string> = {
  base: 'eip155:8453',
  'base-sepolia': 'eip155:84532',
  polygon: 'eip155:137',
  'polygon-amoy': 'eip155:80002',
  arbitrum: 'eip155:42161',
  avalanche: 'eip155:43114',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana-devnet': 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
}
export const networkNames = Object.keys(names)
export const networkId = (name: string): string => names[name] ?? name
export const networkName = (id: string): string => networkNames.find(name => names[name] === id) ?? id
