/** Reads and judges a time-stamp token of RFC 3161. OpenSSL judges the same tokens in the tests. */
import { hash, type KeyObject, verify, type X509Certificate } from 'node:crypto'
import { type Der, idOf, NotDer, partsOf, tagged, tags } from './der.ts'
import { algorithmIn, digests, ids, partsOfToken, signedPartsOf } from './token-parts.ts'
import type { Trust } from './trust.ts'

/** A valid time-stamp. */
export interface Stamp {
  token: Buffer
  /** The name of the authority in its certificate. */
  authority: string
  /** In ms. */
  time: number
  /** The object identifier of the authority's policy. */
  policy: string
}

interface Demands {
  /** The hash that it must cover. */
  sha256: string
  trust: Trust
  /** The nonce that it must repeat, if the request is known. */
  nonce?: Buffer
}

/** The reason why a time-stamp proves nothing. */
export class BadToken extends Error {
  override name = 'BadToken'
}

/** The kind of key of each signature algorithm, and its hash if the algorithm's name includes one. */
const signatures: Readonly<Record<string, readonly [key: string, digest?: string]>> = {
  '1.2.840.113549.1.1.1': ['rsa'],
  '1.2.840.113549.1.1.11': ['rsa', 'sha256'],
  '1.2.840.113549.1.1.12': ['rsa', 'sha384'],
  '1.2.840.113549.1.1.13': ['rsa', 'sha512'],
  '1.2.840.10045.4.3.2': ['ec', 'sha256'],
  '1.2.840.10045.4.3.3': ['ec', 'sha384'],
  '1.2.840.10045.4.3.4': ['ec', 'sha512'],
}

/** The tokens of public authorities have 3 to 8 KB, with all their certificates. */
export const mostTokenBytes = 16 * 1024

/** Throws BadToken. */
export function readToken(token: Buffer, demands: Demands): Stamp {
  if (token.length > mostTokenBytes) throw new BadToken(`it has more than ${mostTokenBytes} bytes`)
  try {
    return judged(token, demands)
  } catch (error) {
    if (!(error instanceof NotDer)) throw error
    throw new BadToken('it is no time-stamp token')
  }
}

function judged(token: Buffer, { sha256, trust, nonce }: Demands): Stamp {
  const { info, content, signer, certificates } = partsOfToken(token)
  must(info.digest === 'sha256' && info.imprint.toString('hex') === sha256, 'it is about another statement')
  if (nonce) must(info.nonce?.equals(nonce) === true, 'it answers another question')

  const { digest, attribute } = signer
  must(digest !== undefined, 'its hash is too weak, or unknown')
  const said = attribute(ids.messageDigest)?.content
  must(said?.equals(hash(digest, content, 'buffer')) === true, 'its content was changed')
  const leaf = certificates.find(each => isNamed(each, attribute)) as X509Certificate
  must(leaf !== undefined && isSigner(leaf, signer.id), 'it does not have the certificate that has signed it')
  const [kind, bound = digest] = signatures[signer.algorithm] ?? []
  must(kind === leaf.publicKey.asymmetricKeyType && bound === digest, 'its signature is of an unknown kind')
  must(isSigned(digest, signer.signed, leaf.publicKey, signer.signature), 'its signature is wrong')
  must(isForTimeStamps(leaf), 'its certificate is not for time-stamps')
  must(trust.reaches(leaf, certificates, info.time), 'its certificate leads to no authority that we trust')
  return { token, authority: nameOf(leaf), time: info.time.getTime(), policy: info.policy }
}

function must(holds: boolean, why: string): asserts holds {
  if (!holds) throw new BadToken(why)
}

/** A signed attribute names the certificate by its hash, so that nobody can replace it. */
function isNamed({ raw }: X509Certificate, attribute: (id: string) => Der | undefined): boolean {
  const newer = attribute(ids.signingCertificateV2)
  const [list] = partsOf(newer ?? attribute(ids.signingCertificate), tags.sequence)
  const [named] = partsOf(list, tags.sequence)
  const parts = partsOf(named, tags.sequence)
  const algorithm = newer && parts[0]?.tag === tags.sequence ? algorithmIn(parts.shift()) : undefined
  const digest = !newer ? 'sha1' : algorithm ? digests[algorithm] : 'sha256'
  const { content } = tagged(parts[0], tags.octets)
  return digest !== undefined && content.equals(hash(digest, raw, 'buffer'))
}

function isSigner(certificate: X509Certificate, id: readonly Der[]): boolean {
  const { serial, issuer } = signedPartsOf(certificate)
  const [ofIssuer, number] = id
  return (
    ofIssuer?.bytes.equals(tagged(issuer).bytes) === true &&
    number?.bytes.equals(tagged(serial).bytes) === true
  )
}

function isForTimeStamps(certificate: X509Certificate): boolean {
  const { keyUsage } = certificate
  const usage = partsOf(signedPartsOf(certificate).extensions)
    .map(extension => partsOf(extension))
    .find(([id]) => id?.tag === tags.id && idOf(id) === ids.extendedKeyUsage)
  const isCritical = usage?.[1]?.tag === tags.boolean && usage[1].content[0] === 0xff
  return isCritical && keyUsage?.length === 1 && keyUsage[0] === ids.timeStamping
}

function isSigned(digest: string, data: Buffer, key: KeyObject, signature: Buffer): boolean {
  try {
    return verify(digest, data, key, signature)
  } catch {
    // These bytes are not a signature.
    return false
  }
}

const nameOf = ({ subject }: X509Certificate): string =>
  /^CN=(.*)$/m.exec(subject)?.[1]?.replace(/\\(.)/g, '$1') ?? subject.replaceAll('\n', ', ')
