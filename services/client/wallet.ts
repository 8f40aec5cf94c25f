/** Signs payments, with x402's own code. It is loaded when the first payment is signed on a family of chains. */
import { type Network, networks } from './networks.ts'
import type { Offer, Quote } from './quote.ts'

export interface Wallet {
  /** The private key of an EVM account: 0x and 64 hex digits. */
  evmKey?: string | undefined
  /** The secret key of a Solana account: base58 as wallets export it, or the JSON list of its bytes. */
  solanaKey?: string | undefined
  /** A node of Solana: a payment there names a recent block. Without it, the block that the quote names, or the usual node. */
  solanaRpcUrl?: string | undefined
}

export const hasKeyFor = ({ evmKey, solanaKey }: Wallet, { domain }: Network): boolean =>
  Boolean(domain ? evmKey : solanaKey)

/** No key signs the offer. The message is the reason. */
export class NotSigned extends Error {}

/**
 * Signs an offer that `payable` has chosen, and returns the value of PAYMENT-SIGNATURE as an object. Amount, payee, window and fee
 * payer come from the quote. Token, domain and form come from here.
 */
export async function signed(
  wallet: Wallet,
  { resource, extensions }: Quote,
  offer: Offer,
): Promise<{ payload: object }> {
  const known = networks.find(({ id }) => id === offer.network)
  if (!known) throw new NotSigned('the network is not known')
  const { amount, payTo, maxTimeoutSeconds, network, scheme } = offer
  const terms = { scheme, network, amount, payTo, maxTimeoutSeconds, asset: known.usdc }
  const payload = known.domain
    ? await evmPayload(wallet, { ...terms, extra: known.domain })
    : await solanaPayload(wallet, { ...terms, extra: offer.extra ?? {} })
  const envelope = { x402Version: 2, resource, accepted: offer, payload }
  return { ...envelope, ...(extensions && { extensions }) }
}

async function evmPayload(wallet: Wallet, terms: Offer): Promise<object> {
  const { ExactEvmScheme } = await import('@x402/evm/exact/client')
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(evmKeyOf(wallet.evmKey ?? ''))
  return (await new ExactEvmScheme(account).createPaymentPayload(2, terms as never)).payload
}

async function solanaPayload(wallet: Wallet, terms: Offer): Promise<object> {
  const { ExactSvmScheme } = await import('@x402/svm/exact/client')
  const { decimals, deviation, tokenProgram } = await import('./solana-form.ts')
  const signer = await solanaSigner(wallet.solanaKey ?? '')
  if (terms.extra?.feePayer === signer.address)
    throw new NotSigned('feePayer is the wallet itself, and the seller’s facilitator pays the fees')
  const rpc = wallet.solanaRpcUrl ? { rpcUrl: wallet.solanaRpcUrl } : undefined
  const scheme = new ExactSvmScheme(signer, rpc)
  knowMint(scheme, terms, { decimals, programAddress: tokenProgram })
  const { payload } = await scheme
    .createPaymentPayload(2, (rpc ? withoutBlock(terms) : terms) as never)
    .catch((error: unknown) => {
      throw new NotSigned(
        `the node of Solana${wallet.solanaRpcUrl ? '' : ' that is usual'} gave no block: ${codeOf(error)}`,
      )
    })
  const other = deviation(String(payload.transaction), signer.address, terms)
  if (other) throw new NotSigned(`the transaction is not one transfer of USDC: ${other}`)
  return payload
}

/** The mint of USDC never changes. The scheme would ask a node for it. */
function knowMint(scheme: object, { network, asset }: Offer, mint: object): void {
  const { mintCache } = scheme as { mintCache?: Map<string, Promise<object>> }
  mintCache?.set(`${network}:${asset}`, Promise.resolve(mint))
}

/** Who names a node trusts it more than a quote. */
function withoutBlock({ extra: { recentBlockhash: _, ...extra } = {}, ...terms }: Offer): Offer {
  return { ...terms, extra }
}

/** Its words may repeat the node's address, which may hold a key. */
function codeOf(error: unknown): string {
  const { name, cause } = error as Error & { cause?: { code?: unknown } }
  return String(cause?.code ?? name).slice(0, 40)
}

/** Signs a text for people to read, as wallets do. The text holds the address that signs it. */
export async function signedText(
  wallet: Wallet,
  { domain }: Network,
  text: (address: string) => string,
): Promise<{ address: string; signature: string }> {
  if (domain) {
    const { privateKeyToAccount } = await import('viem/accounts')
    const account = privateKeyToAccount(evmKeyOf(wallet.evmKey ?? ''))
    return {
      address: account.address,
      signature: await account.signMessage({ message: text(account.address) }),
    }
  }
  const { getBase58Decoder } = await import('@solana/kit')
  const signer = await solanaSigner(wallet.solanaKey ?? '')
  const content = new TextEncoder().encode(text(signer.address))
  const [made = {}] = await signer.signMessages([{ content, signatures: {} }])
  const [bytes = new Uint8Array()] = Object.values(made)
  return { address: signer.address, signature: getBase58Decoder().decode(bytes) }
}

function evmKeyOf(key: string): `0x${string}` {
  const hex = key.trim().replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) throw new Error('the EVM key is not 0x and 64 hex digits')
  return `0x${hex}`
}

async function solanaSigner(key: string) {
  const kit = await import('@solana/kit')
  const bytes = solanaKeyIn(key, text => kit.getBase58Encoder().encode(text))
  try {
    if (bytes?.length === 64) return await kit.createKeyPairSignerFromBytes(bytes)
    if (bytes?.length === 32) return await kit.createKeyPairSignerFromPrivateKeyBytes(bytes)
  } catch {
    // The message of the library may repeat the key.
    throw new Error('the Solana key is no key: its halves do not belong together')
  }
  throw new Error('the Solana key is neither 32 nor 64 bytes, in base58 or as a JSON list')
}

/** Undefined: it has no such form. The errors of those who read it would repeat it. */
function solanaKeyIn(
  key: string,
  fromBase58: (text: string) => ArrayLike<number>,
): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(
      key.trim().startsWith('[') ? (JSON.parse(key) as number[]) : fromBase58(key.trim()),
    )
  } catch {
    return undefined
  }
}
