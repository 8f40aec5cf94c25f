/** Recovers the signer of an EIP-3009 transfer, so that a forged one costs no call. */
import { signerOfDigest } from '../../../pipelines/rails/signing/ecdsa.ts'
import { keccak256, keccak256Bytes } from '../../../pipelines/rails/signing/keccak256.ts'
import { signerSoon } from '../../../pipelines/rails/signing/signers.ts'

export interface SignedAuthorization {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}

const textHash = (text: string): string => keccak256(Buffer.from(text))
const typeHash = textHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const domainTypeHash = textHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
/** 32 bytes, in hex. */
const word = (hex: string): string => hex.padStart(64, '0')
const uint = (decimal: string): string => word(BigInt(decimal).toString(16))
const address = (hex: string): string => word(hex.slice(2))

const separators = new Map<string, Buffer>()
function domainSeparator({ network, asset, domain }: Signed): Buffer {
  const key = `${network} ${asset} ${domain.name} ${domain.version}`
  let separator = separators.get(key)
  if (!separator) {
    const chain = uint(network.split(':')[1] ?? '')
    const parts = domainTypeHash + textHash(domain.name) + textHash(domain.version) + chain + address(asset)
    separator = Buffer.from(keccak256Bytes(Buffer.from(parts, 'hex')))
    separators.set(key, separator)
  }
  return separator
}

interface Signed {
  network: string
  asset: string
  domain: { name: string; version: string }
}

const wordBytes = 32
const [addressAt, smallAt] = [12, 24]
const mostSmall = 2n ** 64n - 1n
const at = { type: 0, from: 1, to: 2, value: 3, validAfter: 4, validBefore: 5, nonce: 6, end: 7 }
/** What is hashed is written into the same bytes for each payment: to join texts in hex takes as long as to hash them. */
const transfer = Buffer.alloc(at.end * wordBytes)
transfer.write(typeHash, 'hex')
const beginning = Buffer.from('1901', 'hex')
const whole = Buffer.alloc(beginning.length + 2 * wordBytes)
beginning.copy(whole)

function writeNumber(decimal: string, word: number): void {
  const start = word * wordBytes
  const number = BigInt(decimal)
  if (number > mostSmall) transfer.write(uint(decimal), start, 'hex')
  else transfer.fill(0, start, start + smallAt).writeBigUInt64BE(number, start + smallAt)
}

/** The digest that a payer signs. */
export function digestOf(authorization: SignedAuthorization, signed: Signed): Buffer {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  transfer.write(from.slice(2), at.from * wordBytes + addressAt, 'hex')
  transfer.write(to.slice(2), at.to * wordBytes + addressAt, 'hex')
  writeNumber(value, at.value)
  writeNumber(validAfter, at.validAfter)
  writeNumber(validBefore, at.validBefore)
  transfer.write(nonce.slice(2), at.nonce * wordBytes, 'hex')
  whole.set(domainSeparator(signed), beginning.length)
  whole.set(keccak256Bytes(transfer), beginning.length + wordBytes)
  return Buffer.from(keccak256Bytes(whole))
}

const wordDigits = 77
const isWord = (decimal: string): boolean => decimal.length <= wordDigits || BigInt(decimal) < 2n ** 256n
/** Of other numbers nobody can have signed the authorization. */
const isSignable = ({ value, validAfter, validBefore }: SignedAuthorization): boolean =>
  [value, validAfter, validBefore].every(isWord)

/** The signer's address in lower case. Undefined if these 65 bytes are no signature, or a number is none that can be signed. */
export const signerOf = (
  signature: string,
  authorization: SignedAuthorization,
  signed: Signed,
): string | undefined =>
  isSignable(authorization) ? signerOfDigest(digestOf(authorization, signed), signature) : undefined

/** The same, beside the work of this thread if there is much of it. */
export const signerSoonOf = (
  signature: string,
  authorization: SignedAuthorization,
  signed: Signed,
): string | undefined | Promise<string | undefined> =>
  isSignable(authorization) ? signerSoon(digestOf(authorization, signed), signature) : undefined
