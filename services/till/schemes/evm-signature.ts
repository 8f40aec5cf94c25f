/** Recovers the signer of an EIP-3009 transfer, so that a forged one costs no call. */
import { signerOfDigest } from '../../../pipelines/rails/signing/ecdsa.ts'
import { keccak256 } from '../../../pipelines/rails/signing/keccak256.ts'

export interface SignedAuthorization {
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

interface Signed {
  network: string
  asset: string
  domain: { name: string; version: string }
}

/** The digest that a payer signs. */
export function digestOf(authorization: SignedAuthorization, signed: Signed): Buffer {
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

/** The signer's address in lower case. Undefined if these 65 bytes are no signature. */
export const signerOf = (
  signature: string,
  authorization: SignedAuthorization,
  signed: Signed,
): string | undefined => signerOfDigest(digestOf(authorization, signed), signature)
