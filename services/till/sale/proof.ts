/**
 * A payer's proof that a payment is his: a text signed by the wallet that paid (x402's sign-in-with-x, CAIP-122). A settled payment
 * is public on its chain, so its content proves nothing.
 */
import { z } from 'zod'
import {
  isSignedByEvm,
  isSignedByKey,
  type SignedText,
} from '../../../pipelines/domains/payments/evm/signed-text.ts'
import { isSignedBySolana } from '../../../pipelines/domains/payments/svm/signed-text.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { familyOf, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { Instant, instant } from '../../../schemas/values/values.ts'
import { strictBase64 } from '../header.ts'
import type { Purchase } from '../ledger/purchase.ts'
import type { Ledger } from '../ledger.ts'
import { unknownOutcome, written } from '../payment-failures.ts'
import type { RpcUrls } from '../schemes/open-schemes.ts'

export const signInWithX = 'sign-in-with-x'

/** The life of a signed text. */
const lifeMs = 5 * 60_000
/** The payer's clock may be ahead of ours. */
const aheadMs = 60_000
const limitBytes = 8 * 1024
/** A contract's signature needs a node, which may be slow. So many checks run at once. */
const mostAtOnce = 16
const mostAtOnceOfOne = 2
/** The proofs of one purchase that this process remembers. A payer needs one. */
const mostProofs = 20
const statement = 'Give me the answer that I have paid for.'

const shape = z.object({
  domain: z.string(),
  address: z.string().regex(/^\w{32,44}$/),
  statement: z.string(),
  uri: z.string(),
  version: z.literal('1'),
  chainId: z.string(),
  type: z.enum(['eip191', 'ed25519']),
  nonce: z.string(),
  issuedAt: Instant,
  expirationTime: Instant,
  resources: z.tuple([z.string()]),
  signature: z.string().max(limitBytes),
})
const ofPurchase = shape.extend({ statement: z.literal(statement) })
const schema = z.toJSONSchema(ofPurchase)

/** What a wallet has signed, as it came: nobody has checked it yet. */
type SignedIn = z.output<typeof shape>

export interface Info {
  domain: string
  uri: string
  statement: string
  version: string
  nonce: string
  issuedAt: string
  expirationTime: string
  resources: readonly string[]
}

/** The place where the payment is presented, and the proof. */
interface Shown {
  /** The address of the operation. */
  resourceUrl: string
  /** The header SIGN-IN-WITH-X. */
  proof: string | undefined
  /** The caller who presents it. */
  caller: string
}

interface ProofParts {
  ledger: Ledger
  rpcUrls: RpcUrls
  onError(error: unknown): void
}

/** The nonce changes once the answer is delivered, so a used proof is worthless. */
const nonceOf = ({ requestId, delivered }: Purchase): string =>
  sha256(JSON.stringify(['proof', requestId, delivered])).slice(0, 32)

const infoOf = (purchase: Purchase, resourceUrl: string, at: number): Info => ({
  domain: new URL(resourceUrl).host,
  uri: resourceUrl,
  statement,
  version: '1',
  nonce: nonceOf(purchase),
  issuedAt: instant(at),
  expirationTime: instant(at + lifeMs),
  resources: [`urn:x402:payment:${purchase.spendId}`],
})

/** The text for the payer's wallet to sign, in the form of the extension. */
export function challengeOf(purchase: Purchase, resourceUrl: string, now: number) {
  const { network } = purchase.promised.trace
  const type = familyOf(network) === 'evm' ? ('eip191' as const) : ('ed25519' as const)
  return {
    info: infoOf(purchase, resourceUrl, now),
    supportedChains: [{ chainId: network, type }],
    schema,
  }
}

/** In the form of EIP-4361, and of CAIP-122 for Solana. */
export function textOf(info: Info, address: string, network: string): string {
  return [
    `${info.domain} wants you to sign in with your ${familyOf(network) === 'evm' ? 'Ethereum' : 'Solana'} account:`,
    address,
    '',
    info.statement,
    '',
    `URI: ${info.uri}`,
    `Version: ${info.version}`,
    `Chain ID: ${network.split(':')[1]}`,
    `Nonce: ${info.nonce}`,
    `Issued At: ${info.issuedAt}`,
    `Expiration Time: ${info.expirationTime}`,
    'Resources:',
    ...info.resources.map(resource => `- ${resource}`),
  ].join('\n')
}

export function proofs({ ledger, rpcUrls, onError }: ProofParts) {
  const used = new WeakMap<Purchase, Set<string>>()
  /** A proof that was signed before this run may have been used in an earlier run, of which this one knows nothing. */
  const startedAt = ledger.logNow()
  /** The callers whose proofs wait for a node. */
  const underWay: string[] = []

  /**
   * The name of the text that the payer's wallet signed for this purchase at this address a short time ago. Undefined without one.
   */
  async function provenBy(
    purchase: Purchase,
    { proof, resourceUrl, caller }: Shown,
  ): Promise<string | undefined> {
    const said = proof === undefined ? undefined : readSignedIn(proof)
    if (!said || !isOf(purchase, said)) return undefined
    const { trace } = purchase.promised
    const { issuedAt, expirationTime, address, signature } = said
    const [at, issued] = [ledger.logNow(), Date.parse(issuedAt)]
    if (
      issued < startedAt ||
      issued > at + aheadMs ||
      at > issued + lifeMs ||
      at > Date.parse(expirationTime)
    )
      return undefined
    const info = { ...infoOf(purchase, resourceUrl, at), issuedAt, expirationTime }
    const text = textOf(info, address, trace.network)
    const isProven =
      familyOf(trace.network) === 'svm'
        ? isSignedBySolana(address, text, signature)
        : ((await isSignedByKey({ address, text, signature })) ??
          (await isSignedByContract(trace.network, { address, text, signature }, caller)))
    return isProven ? sha256(text) : undefined
  }

  /** Asks a node for a contract's word. A key needs no node, so full places for contracts keep no key out. */
  async function isSignedByContract(network: string, signed: SignedText, caller: string): Promise<boolean> {
    const own = underWay.filter(each => each === caller).length
    if (underWay.length >= mostAtOnce || own >= mostAtOnceOfOne)
      throw unknownOutcome('Too many proofs by contracts are looked at now')
    underWay.push(caller)
    try {
      const name = networkNames.find(each => networks[each].caip2 === network)
      return await isSignedByEvm(signed, (name && rpcUrls[name]) ?? [])
    } catch (error) {
      // A contract's word needs a node. Without a node nobody can tell, and the payer may try again.
      onError(error)
      return false
    } finally {
      underWay.splice(underWay.indexOf(caller), 1)
    }
  }

  /** Resolves with false if this instance or another one has seen the proof before. */
  async function use(purchase: Purchase, proven: string, requestId: string): Promise<boolean> {
    const known = used.get(purchase) ?? new Set()
    used.set(purchase, known)
    if (known.has(proven) || known.size >= mostProofs) return false
    known.add(proven)
    return orForgotten(
      known,
      proven,
      written(() => ledger.claimProof(proven, requestId), onError),
    )
  }

  return { provenBy, use }
}

/** Nothing is given for a proof that could not be claimed, so it may come again. */
async function orForgotten<T>(known: Set<string>, proven: string, claim: Promise<T>): Promise<T> {
  try {
    return await claim
  } catch (error) {
    known.delete(proven)
    throw error
  }
}

const isOf = ({ promised: { payer, trace } }: Purchase, said: SignedIn): boolean =>
  said.statement === statement && said.chainId === trace.network && isSame(trace.network, said.address, payer)

/** Compares two addresses. Only an EVM address may be written in either case. */
export const isSame = (network: string, one: string, other: string): boolean =>
  familyOf(network) === 'evm' ? one.toLowerCase() === other.toLowerCase() : one === other

export function readSignedIn(header: string): SignedIn | undefined {
  if (header.length > limitBytes || !strictBase64.test(header)) return undefined
  try {
    return shape.safeParse(JSON.parse(Buffer.from(header, 'base64').toString())).data
  } catch {
    // Strangers send anything here.
    return undefined
  }
}
