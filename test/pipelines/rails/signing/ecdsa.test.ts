import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { isSignedByEvm } from '../../../../pipelines/domains/payments/evm/signed-text.ts'
import { isTwin } from '../../../../pipelines/rails/signing/ecdsa.ts'
import { addressOfKey, type Kind, sign, signerOf } from '../../../../pipelines/rails/signing/eip712.ts'
import { twinOf } from './twin.ts'

const kind: Kind = { domain: 'test', name: 'Word', fields: { said: 'string', times: 'uint256' } }
const word = { said: 'yes', times: 1 }

it('the twin of a signature over typed data is not a signature', () => {
  for (let i = 0; i < 20; i++) {
    const key = generatePrivateKey()
    const signature = sign(kind, word, key)
    expect([isTwin(signature), isTwin(twinOf(signature))]).toEqual([false, true])
    expect(signerOf(kind, word, signature)).toBe(addressOfKey(key))
    expect(addressOfKey(key)).toBe(privateKeyToAccount(key).address.toLowerCase())
    expect(signerOf(kind, word, twinOf(signature))).toBeUndefined()
  }
})

it('the twin of a signature over a text is not a signature, and no node is asked about it', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey())
  const signature = await wallet.signMessage({ message: 'watch it' })
  const isSigned = (signature: string, urls: string[] = []) =>
    isSignedByEvm({ address: wallet.address, text: 'watch it', signature }, urls)
  expect(await isSigned(signature)).toBe(true)
  expect(await isSigned(twinOf(signature), ['http://127.0.0.1:9'])).toBe(false)
})

it.each(['', '0x', `0x${'00'.repeat(64)}`, `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, 'no hex'])(
  'a text that is not a signature has no signer: %s',
  signature => {
    expect(signerOf(kind, word, signature)).toBeUndefined()
  },
)
