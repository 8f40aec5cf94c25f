/** Writes the message of a transaction in version 1, and signs it: message first, signatures last. */
import { createPrivateKey, sign } from 'node:crypto'
import { VersionedTransaction } from '@solana/web3.js'
import { fromBase58 } from '../../pipelines/domains/payments/svm/base58.ts'
import { payerOf } from './solana-payment.ts'

const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The same accounts, instructions and life as the given transaction of version 0. */
export function inVersion1(version0: Buffer, seed: string): Buffer {
  const { message } = VersionedTransaction.deserialize(version0)
  const { header, staticAccountKeys, compiledInstructions, recentBlockhash } = message
  const bytes = (...given: number[]) => Buffer.from(given)
  const mask = bytes(0b100, 0, 0, 0)
  const unitLimit = Buffer.alloc(4)
  unitLimit.writeUInt32LE(20_000)
  const headers = compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) =>
    bytes(programIdIndex, accountKeyIndexes.length, data.length & 0xff, data.length >> 8),
  )
  const payloads = compiledInstructions.flatMap(({ accountKeyIndexes, data }) => [
    bytes(...accountKeyIndexes),
    Buffer.from(data),
  ])
  const written = Buffer.concat([
    bytes(0x81, header.numRequiredSignatures, header.numReadonlySignedAccounts),
    bytes(header.numReadonlyUnsignedAccounts),
    mask,
    fromBase58(recentBlockhash) as Uint8Array,
    bytes(compiledInstructions.length, staticAccountKeys.length),
    ...staticAccountKeys.map(key => key.toBuffer()),
    unitLimit,
    ...headers,
    ...payloads,
  ])
  const payer = payerOf(seed)
  const key = createPrivateKey({
    key: Buffer.concat([pkcs8, payer.secretKey.subarray(0, 32)]),
    format: 'der',
    type: 'pkcs8',
  })
  const signatures = staticAccountKeys
    .slice(0, header.numRequiredSignatures)
    .map(account => (account.equals(payer.publicKey) ? sign(null, written, key) : Buffer.alloc(64)))
  return Buffer.concat([written, ...signatures])
}
