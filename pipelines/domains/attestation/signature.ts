/** The signature of a statement: EIP-712, over the fields that a wallet can show, and the hash of all the rest. */
import { addressOfKey, type Kind, sign, signerOf, type TypedMessage } from '../../rails/signing/eip712.ts'
import { developmentKeys } from './development.ts'
import type { Statement } from './statement.ts'

const kind: Kind = {
  domain: 'Farebox attestation',
  name: 'Attestation',
  fields: {
    version: 'string',
    url: 'string',
    final_url: 'string',
    status: 'uint256',
    observed_at: 'string',
    serving_ip: 'string',
    certificate_sha256: 'string',
    html_sha256: 'string',
    text_sha256: 'string',
    screenshot_sha256: 'string',
    statement_sha256: 'bytes32',
  },
}

export const scheme = 'eip712'
/** In the form for wallets and libraries. */
export const domain = { name: kind.domain, version: '1', chainId: 1 }
export const types = {
  [kind.name]: Object.entries(kind.fields).map(([name, type]) => ({ name, type })),
}

/** Null is the empty string. */
const messageOf = (statement: Statement, hash: string): TypedMessage => {
  const { version, url, final_url, status, observed_at, serving_ip } = statement
  const { html_sha256, text_sha256, screenshot_sha256, tls } = statement
  return {
    ...{ version, url, final_url, status, observed_at, serving_ip },
    certificate_sha256: tls?.certificate_sha256 ?? '',
    ...{ html_sha256, text_sha256, screenshot_sha256 },
    statement_sha256: `0x${hash}`,
  }
}

export const signStatement = (statement: Statement, hash: string, key: string): string =>
  sign(kind, messageOf(statement, hash), key)

/** The address in lower case. Undefined if this is not a signature. */
export const signerOfStatement = (
  statement: Statement,
  hash: string,
  signature: string,
): string | undefined => signerOf(kind, messageOf(statement, hash), signature)

const developmentAddress = addressOfKey(developmentKeys.attest)

/** The development key, which everybody knows, gets an id that says so. */
export const keyIdOf = (address: string): string =>
  `${address === developmentAddress ? 'development-' : ''}${address.slice(2, 10)}`
