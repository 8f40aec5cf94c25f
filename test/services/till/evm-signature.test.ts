import { randomBytes } from 'node:crypto'
import { hashTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { digestOf, signerOf } from '../../../services/till/schemes/evm-signature.ts'

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}` as const
const asset = hex(20)
const domain = { name: 'USD Coin', version: '2' }
const names = ['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'] as const
const types = ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes32']
const numbers = ['0', '1', '2000', String(2n ** 64n - 1n), String(2n ** 64n), String(2n ** 256n - 1n)]
const authorizations = numbers.flatMap(value =>
  numbers.map(validBefore => ({
    from: hex(20),
    to: hex(20),
    value,
    validAfter: '0',
    validBefore,
    nonce: hex(32),
  })),
)
type Authorization = (typeof authorizations)[number]

const typed = (chainId: number, { value, validAfter, validBefore, ...rest }: Authorization) => ({
  domain: { ...domain, chainId, verifyingContract: asset },
  types: { TransferWithAuthorization: names.map((name, i) => ({ name, type: types[i] as string })) },
  primaryType: 'TransferWithAuthorization' as const,
  message: {
    ...rest,
    value: BigInt(value),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
  },
})

it('digests each authorization as others do, whatever was digested before it', () => {
  for (const chain of [8453, 84532])
    for (const each of [...authorizations, ...authorizations.toReversed()])
      expect(`0x${digestOf(each, { network: `eip155:${chain}`, asset, domain }).toString('hex')}`).toBe(
        hashTypedData(typed(chain, each) as never),
      )
})

it('names the signer, and nobody for a number that is longer than a word', async () => {
  const payer = privateKeyToAccount(hex(32))
  const own = { ...(authorizations[0] as Authorization), value: '0' }
  const signature = await payer.signTypedData(typed(8453, own) as never)
  const signed = { network: 'eip155:8453', asset, domain }
  expect(signerOf(signature, own, signed)).toBe(payer.address.toLowerCase())
  for (const name of ['value', 'validAfter', 'validBefore'])
    expect(signerOf(signature, { ...own, [name]: String(2n ** 256n) }, signed)).toBeUndefined()
})
