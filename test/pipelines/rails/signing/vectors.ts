/** Prints the results of this process for the same keys, digests and signatures. */
import { createHash } from 'node:crypto'
import { isNative, secp256k1 } from '../../../../pipelines/rails/signing/secp256k1.ts'

const bytesOf = (text: string) => createHash('sha256').update(text).digest()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const wrong = (r: string, s: string) => Buffer.from(r + s, 'hex')
const zero = '0'.repeat(64)
const one = zero.replace(/0$/, '1')

const lines: unknown[] = []
for (let i = 0; i < 100; i++) {
  const [key, digest] = [bytesOf(`key ${i}`), bytesOf(`digest ${i}`)]
  const { signature, recovery } = secp256k1.sign(digest, key)
  const both = [recovery, 1 - recovery].map(each => hex(secp256k1.recover(signature, each, digest)))
  lines.push([hex(signature), recovery, hex(secp256k1.publicKeyOf(key)), both])
}
const refused = [
  wrong(zero, one),
  wrong(one, zero),
  wrong(order, one),
  wrong(one, order),
  wrong('f'.repeat(64), one),
]
for (const signature of [...refused, wrong('5'.padStart(64, '0'), one)])
  for (const recovery of [0, 1]) {
    try {
      lines.push(hex(secp256k1.recover(signature, recovery, bytesOf('digest'))))
    } catch {
      lines.push('refused')
    }
  }
process.stdout.write(JSON.stringify({ isNative, lines }))
