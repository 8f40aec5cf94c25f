/**
 * Proves to a seller that this wallet made a payment whose answer was lost (x402's sign-in-with-x). A seller may be anybody, so the
 * client writes the text: it signs no challenge for another host, or for anything but a payment.
 */
import { networks } from './networks.ts'
import { base64 } from './quote.ts'
import { hasKeyFor, signedText, type Wallet } from './wallet.ts'

const statement = 'Give me the answer that I have paid for.'
const forms = {
  nonce: /^[0-9a-zA-Z]{8,64}$/,
  issuedAt: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
  expirationTime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
}
const payment = /^urn:x402:payment:[0-9a-f]{64}$/

type Json = Record<string, unknown>
const objectIn = (value: unknown): Json =>
  typeof value === 'object' && value !== null ? (value as Json) : {}

/** Does the seller give an answer for a proof, by this wallet or another one? */
export const asksForProof = (refusal: Json): boolean =>
  Object.keys(objectIn(objectIn(refusal.extensions)['sign-in-with-x'])).length > 0

/** Makes the value of SIGN-IN-WITH-X. Undefined if the refusal asks for nothing that the client signs. */
export async function proofFor(refusal: Json, url: string, wallet: Wallet): Promise<string | undefined> {
  const asked = objectIn(objectIn(refusal.extensions)['sign-in-with-x'])
  const info = objectIn(asked.info)
  const [chain] = Array.isArray(asked.supportedChains) ? asked.supportedChains : []
  const { chainId } = objectIn(chain)
  const network = networks.find(({ id }) => id === chainId)
  const [resource, ...others] = Array.isArray(info.resources) ? (info.resources as unknown[]) : []
  // The query string chooses fields of the answer, and is no part of what was bought.
  const [uri = ''] = url.split('?')
  const { host } = new URL(uri)
  const isOurs =
    info.domain === host &&
    info.uri === uri &&
    info.statement === statement &&
    info.version === '1' &&
    Object.entries(forms).every(([name, form]) => typeof info[name] === 'string' && form.test(info[name])) &&
    typeof resource === 'string' &&
    payment.test(resource) &&
    others.length === 0
  if (!isOurs || !network || !hasKeyFor(wallet, network)) return undefined
  const { nonce, issuedAt, expirationTime } = info
  const signed = await signedText(wallet, network, address =>
    [
      `${host} wants you to sign in with your ${network.domain ? 'Ethereum' : 'Solana'} account:`,
      ...[address, '', statement, '', `URI: ${uri}`, 'Version: 1', `Chain ID: ${network.id.split(':')[1]}`],
      ...[`Nonce: ${nonce}`, `Issued At: ${issuedAt}`, `Expiration Time: ${expirationTime}`],
      ...['Resources:', `- ${resource}`],
    ].join('\n'),
  )
  const kind = { chainId: network.id, type: network.domain ? 'eip191' : 'ed25519' }
  const said = { domain: host, uri, statement, version: '1', nonce, issuedAt, expirationTime }
  return base64({ ...said, resources: [resource], ...kind, ...signed })
}
