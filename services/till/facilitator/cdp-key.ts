/** Signs calls to Coinbase's facilitator: a short-lived JWT for each path, Ed25519 or ES256, as the key requires. */
import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto'

const lifeSeconds = 120
const reuseSeconds = 60

export interface CdpKey {
  id: string
  /** Base64 of an Ed25519 seed and its public key, or the PEM of an EC key. */
  secret: string
}

/** Makes the bearer token of a call. One token serves its path for a minute. */
export function cdpTokens({ id, secret }: CdpKey, host: string, now: () => number) {
  const key = privateKey(secret)
  const ed25519 = key.asymmetricKeyType === 'ed25519'
  const kept = new Map<string, { token: string; at: number }>()

  return (method: string, path: string): string => {
    const uri = `${method} ${host}${path}`
    const seconds = Math.floor(now() / 1000)
    const known = kept.get(uri)
    if (known && seconds - known.at < reuseSeconds) return known.token
    const header = {
      alg: ed25519 ? 'EdDSA' : 'ES256',
      kid: id,
      typ: 'JWT',
      nonce: randomBytes(16).toString('hex'),
    }
    const claims = { sub: id, iss: 'cdp', nbf: seconds, exp: seconds + lifeSeconds, uris: [uri] }
    const signed = `${part(header)}.${part(claims)}`
    const signature = ed25519
      ? sign(null, Buffer.from(signed), key)
      : sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    const token = `${signed}.${signature.toString('base64url')}`
    kept.set(uri, { token, at: seconds })
    return token
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function privateKey(secret: string): KeyObject {
  if (secret.includes('BEGIN')) return createPrivateKey(secret.replaceAll('\\n', '\n'))
  const bytes = Buffer.from(secret, 'base64')
  if (bytes.length !== 64)
    throw new Error('CDP_API_KEY_SECRET is neither a PEM nor base64 of an Ed25519 key of 64 bytes')
  return createPrivateKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      d: bytes.subarray(0, 32).toString('base64url'),
      x: bytes.subarray(32).toString('base64url'),
    },
    format: 'jwk',
  })
}
