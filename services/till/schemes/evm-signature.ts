/** Recovers the signer of an EIP-3009 transfer, so that a forged one costs no call. */
import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../pipelines/signing/keccak256.ts'

export interface Authorization {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}

const textHash = (text: string): string => keccak256(Buffer.from(text))
const hexHash = (hex: string): string => keccak256(Buffer.from(hex, 'hex'))
const typeHash = textHash(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const domainTypeHash = textHash(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
)
/** Every signature has a twin in the upper half of the order, and USDC refuses it. */
const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/** 32 bytes, in hex. */
const word = (hex: string): string => hex.padStart(64, '0')
const uint = (decimal: string): string => word(BigInt(decimal).toString(16))
const address = (hex: string): string => word(hex.slice(2))

const separators = new Map<string, string>()
function domainSeparator({ network, asset, domain }: Signed): string {
  const key = `${network} ${asset} ${domain.name} ${domain.version}`
  let separator = separators.get(key)
  if (!separator) {
    const chain = uint(network.split(':')[1] ?? '')
    separator = hexHash(
      domainTypeHash + textHash(domain.name) + textHash(domain.version) + chain + address(asset),
    )
    separators.set(key, separator)
  }
  return separator
}

export interface Signed {
  network: string
  asset: string
  domain: { name: string; version: string }
}

/** What a payer signs. */
export function digestOf(authorization: Authorization, signed: Signed): Buffer {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const transfer = hexHash(
    typeHash +
      address(from) +
      address(to) +
      uint(value) +
      uint(validAfter) +
      uint(validBefore) +
      word(nonce.slice(2)),
  )
  return Buffer.from(hexHash(`1901${domainSeparator(signed)}${transfer}`), 'hex')
}

/** The signer's address in lower case. Undefined: these 65 bytes are no signature. */
export function signerOf(
  signature: string,
  authorization: Authorization,
  signed: Signed,
): string | undefined {
  const bytes = Buffer.from(signature.slice(2), 'hex')
  const recovery =
    bytes[64] === 0 || bytes[64] === 27 ? 0 : bytes[64] === 1 || bytes[64] === 28 ? 1 : undefined
  if (recovery === undefined || bytes.subarray(32, 64).compare(halfOrder) > 0) return undefined
  try {
    const digest = digestOf(authorization, signed)
    const key = secp256k1.ecdsaRecover(bytes.subarray(0, 64), recovery, digest, false)
    return `0x${keccak256(key.subarray(1)).slice(24)}`
  } catch {
    // A stranger wrote it. Numbers that are not on the curve are no signature.
    return undefined
  }
}
