/** Signs payments, with x402's own code. It is loaded when the first payment is signed on a family of chains. */
import { x402Client } from '@x402/core/client'
import type { Offer, Quote } from './quote.ts'

export interface Wallet {
  /** The private key of an EVM account: 0x and 64 hex digits. */
  evmKey?: string | undefined
  /** The secret key of a Solana account: base58 as wallets export it, or the JSON list of its bytes. */
  solanaKey?: string | undefined
  /** A node of Solana; a payment there names a recent block. */
  solanaRpcUrl?: string | undefined
}

export const canPay = ({ evmKey, solanaKey }: Wallet, { scheme, network }: Offer): boolean =>
  scheme === 'exact' && Boolean(network.startsWith('solana:') ? solanaKey : evmKey)

/** Signs one offer of a quote, and gives the value of PAYMENT-SIGNATURE as an object. */
export async function signed(wallet: Wallet, quote: Quote, offer: Offer): Promise<object> {
  // The caps of our own client have decided already. Those of x402's would refuse everything above a dollar.
  const client = new x402Client().setSpendControls(false)
  if (offer.network.startsWith('solana:')) {
    const { ExactSvmScheme } = await import('@x402/svm/exact/client')
    const rpc = wallet.solanaRpcUrl ? { rpcUrl: wallet.solanaRpcUrl } : undefined
    const scheme = new ExactSvmScheme(await solanaSigner(wallet.solanaKey ?? ''), rpc)
    client.register(offer.network as `${string}:${string}`, scheme)
  } else {
    const { ExactEvmScheme } = await import('@x402/evm/exact/client')
    const { privateKeyToAccount } = await import('viem/accounts')
    const account = privateKeyToAccount(evmKeyOf(wallet.evmKey ?? ''))
    client.register(offer.network as `${string}:${string}`, new ExactEvmScheme(account))
  }
  return client.createPaymentPayload({ ...quote, accepts: [offer] } as never)
}

function evmKeyOf(key: string): `0x${string}` {
  const hex = key.trim().replace(/^0x/, '')
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new Error('the EVM key is not 0x and 64 hex digits')
  return `0x${hex}`
}

async function solanaSigner(key: string) {
  const kit = await import('@solana/kit')
  const bytes = key.trim().startsWith('[')
    ? Uint8Array.from(JSON.parse(key) as number[])
    : new Uint8Array(kit.getBase58Encoder().encode(key.trim()))
  if (bytes.length === 64) return kit.createKeyPairSignerFromBytes(bytes)
  if (bytes.length === 32) return kit.createKeyPairSignerFromPrivateKeyBytes(bytes)
  throw new Error('the Solana key is neither 32 nor 64 bytes')
}
