/** The signature of a statement: typed data (EIP-712) over its SHA-256. It holds no time, so that the same statement has the same one. */
import { type Kind, sign } from '../../rails/signing/eip712.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

const statementKind: Kind = {
  domain: 'Farebox statement',
  name: 'Statement',
  fields: { version: 'uint256', month: 'string', format: 'string', sha256: 'bytes32' },
}

interface SignedText {
  month: string
  format: string
  text: string
}

export function signedStatement({ month, format, text }: SignedText, key: string) {
  const payload = { version: 1, month, format, sha256: `0x${sha256(text)}` }
  return { format: 'eip712', payload, signature: sign(statementKind, payload, key) }
}
