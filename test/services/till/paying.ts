/** A payer with a real key, who signs as an x402 client does, and operations to buy. */

import { randomBytes } from 'node:crypto'
import { authorizationTypes } from '@x402/evm'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { type EvmNetworkName, networks } from '../../../schemas/tables/networks.ts'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'

/** Everybody has this key: it is the second of anvil's and Hardhat's development accounts. */
const developmentKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
export const payer = privateKeyToAccount(developmentKey)
/** The third of them. */
export const otherPayerKey = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a'
export const otherPayer = privateKeyToAccount(otherPayerKey)
export const payTo = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
export const payToSolana = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4'

export const echo: Operation = defineOperation({
  id: 'echoOnce',
  path: '/echo',
  price: '0.002',
  costs: 'held',
  title: 'Echo',
  about: 'Says what was said.',
  tags: ['echo'],
  request: z.strictObject({ say: z.string().default('hello') }),
  response: z.strictObject({ said: z.string() }),
  refusals: { no_echo: { status: 422, about: 'Nothing comes back' } },
  example: { request: { say: 'hello' }, response: { said: 'hello' } },
  answer: ({ say }) => ({ said: say }),
})

export const shout: Operation = defineOperation({ ...echo, id: 'shoutOnce', path: '/shout', title: 'Shout' })

/** Costs a read of the store or a request to an upstream. */
export const seek: Operation = defineOperation({
  ...echo,
  id: 'seekOnce',
  path: '/seek',
  title: 'Seek',
  costs: 'looked up',
})

/** Costs much work for one caller. */
export const toil: Operation = defineOperation({
  ...echo,
  id: 'toilOnce',
  path: '/toil',
  title: 'Toil',
  costs: 'costly',
})

export const offerOn = (network: EvmNetworkName) => ({
  scheme: 'exact',
  network: networks[network].caip2,
  amount: '2000',
  asset: networks[network].asset,
  payTo,
  maxTimeoutSeconds: 60,
  extra: networks[network].domain,
})
export const offer = offerOn('base')

export interface Signed {
  x402Version: unknown
  accepted: Record<string, unknown>
  payload: { signature: string; authorization: Record<string, string> }
  resource?: unknown
  extensions?: unknown
}

export async function signed(
  change: Partial<Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>> = {},
  nowMs = Date.now(),
  network: EvmNetworkName = 'base',
  by = payer,
): Promise<Signed> {
  const { domain, caip2, asset } = networks[network]
  const authorization = {
    from: by.address,
    to: payTo,
    value: '2000',
    validAfter: '0',
    validBefore: String(Math.floor(nowMs / 1000) + 60),
    nonce: `0x${randomBytes(32).toString('hex')}`,
    ...change,
  }
  const signature = await by.signTypedData({
    domain: { ...domain, chainId: Number(caip2.split(':')[1]), verifyingContract: asset },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: authorization.from as Hex,
      to: authorization.to as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce as Hex,
    },
  })
  return { x402Version: 2, accepted: offerOn(network), payload: { signature, authorization } }
}

export const header = (payment: unknown): string => Buffer.from(JSON.stringify(payment)).toString('base64')
