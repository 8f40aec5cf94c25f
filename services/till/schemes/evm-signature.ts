/** Recovers the signer of an EIP-3009 transfer, so that a forged one costs no call. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import secp256k1 from 'secp256k1'

export interface Authorization {
  from: string
  to: string
  value: string
  validAfter: string
  validBefore: string
  nonce: string
}

const typeHash = keccak_256(
  Buffer.from(
    'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
  ),
)
const domainTypeHash = keccak_256(
  Buffer.from('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
)
/** Every signature has a twin in the upper half of the order, and USDC refuses it. */
const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

const word = (hex: string): Buffer => Buffer.from(hex.padStart(64, '0'), 'hex')
const uint = (decimal: string): Buffer => word(BigInt(decimal).toString(16))
const address = (hex: string): Buffer => word(hex.slice(2))

const separators = new Map<string, Uint8Array>()
function domainSeparator(
  network: string,
  asset: string,
  domain: { name: string; version: string },
): Uint8Array {
  const key = `${network} ${asset} ${domain.name} ${domain.version}`
  let separator = separators.get(key)
  if (!separator) {
    separator = keccak_256(
      Buffer.concat([
        domainTypeHash,
        keccak_256(Buffer.from(domain.name)),
        keccak_256(Buffer.from(domain.version)),
        uint(network.split(':')[1] ?? ''),
        address(asset),
      ]),
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
export function digestOf(
  { from, to, value, validAfter, validBefore, nonce }: Authorization,
  { network, asset, domain }: Signed,
): Uint8Array {
  const transfer = keccak_256(
    Buffer.concat([
      typeHash,
      address(from),
      address(to),
      uint(value),
      uint(validAfter),
      uint(validBefore),
      word(nonce.slice(2)),
    ]),
  )
  return keccak_256(
    Buffer.concat([Buffer.from([0x19, 0x01]), domainSeparator(network, asset, domain), transfer]),
  )
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
    return `0x${Buffer.from(keccak_256(key.subarray(1))).toString('hex', 12)}`
  } catch {
    // A stranger wrote it. Numbers that are not on the curve are no signature.
    return undefined
  }
}
