/** The keys of play money. Everybody knows them, so never send anything of value to their addresses. */
import { createHash } from 'node:crypto'
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getBase58Decoder,
  getBase58Encoder,
  type KeyPairSigner,
} from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'

/** The development keys of anvil. */
const evmKeys = {
  facilitator: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  payer: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  payTo: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  secondFacilitator: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  refunds: '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  canary: '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
} as const

export type SandboxPart = keyof typeof evmKeys

/** One account for all EVM chains. */
export const evmAccount = (part: SandboxPart) => privateKeyToAccount(evmKeys[part])

const solanaKey = (part: SandboxPart): Buffer =>
  createHash('sha256').update(`farebox play money: ${part}`).digest()

export const solanaSigner = (part: SandboxPart): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(solanaKey(part))

/** The keys that pay fees where the sandbox settles by itself, in the form of their variables. */
export const evmSettleKey = evmKeys.facilitator
/** Pays sales back. */
export const evmRefundKey = evmKeys.refunds
/** Buys like a customer. */
export const evmCanaryKey = evmKeys.canary
export async function solanaKeyText(part: SandboxPart): Promise<string> {
  const { address } = await solanaSigner(part)
  const bytes = Buffer.concat([solanaKey(part), getBase58Encoder().encode(address) as Uint8Array])
  return getBase58Decoder().decode(bytes)
}
export const solanaSettleKey = (): Promise<string> => solanaKeyText('facilitator')

export const evmPayerKey = evmKeys.payer

/** The payer's keys in the form that the command `farebox` reads. */
export const payerKeys = `${evmKeys.payer}\n${JSON.stringify([...solanaKey('payer')])}`

/** Signs the receipts of the sandbox. */
export const signerKey = `0x${createHash('sha256').update('farebox play money: signer').digest('hex')}`

/** Proves the messages of the sandbox's subscriptions, and signs their webhooks. */
export const weighKey = `0x${createHash('sha256').update('farebox play money: weigh').digest('hex')}`
