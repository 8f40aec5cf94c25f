/** A wallet's proof that a payment is its own, by x402's own code for signing in. */
import {
  createSIWxPayload,
  encodeSIWxHeader,
  type SIWxExtensionInfo,
  type SIWxSigner,
  type SupportedChain,
} from '@x402/extensions/sign-in-with-x'
import type { AlreadyUsed } from '../../../services/offer/errors.ts'
import { payer } from './paying.ts'

export interface Challenge {
  info: SIWxExtensionInfo
  supportedChains: SupportedChain[]
}

/** The challenge in a refusal, for a wallet to sign. */
export const challengeIn = (body: object): Challenge => {
  const { extensions } = body as { extensions: Record<string, Challenge> }
  return extensions['sign-in-with-x'] as Challenge
}

export async function challengeOf(refused: Promise<unknown>): Promise<Challenge> {
  const error = await refused.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: AlreadyUsed) => error,
  )
  return challengeIn(error.more)
}

/** The value of SIGN-IN-WITH-X. */
export async function proofOf(
  { info, supportedChains }: Challenge,
  signer: SIWxSigner = payer,
): Promise<string> {
  const [chain] = supportedChains as [SupportedChain]
  const extension = { ...info, ...chain }
  return encodeSIWxHeader(await createSIWxPayload(extension, signer, info.uri))
}
