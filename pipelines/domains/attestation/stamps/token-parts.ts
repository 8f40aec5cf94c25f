/** The parts of a time-stamp token (RFC 3161 in CMS), read from bytes that a stranger may have written. */
import { X509Certificate } from 'node:crypto'
import { Bounded } from '../../../rails/bounded.ts'
import { type Der, idOf, NotDer, partsOf, readDer, tagged, tags, timeOf } from './der.ts'

export const ids = {
  signedData: '1.2.840.113549.1.7.2',
  tstInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
}
export const digests: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const mostCertificates = 10

/** Throws NotDer. */
export function partsOfToken(token: Buffer) {
  const [type, wrapped] = partsOf(readDer(token, tags.sequence))
  const [inner] = partsOf(wrapped, tags.choice0)
  const [version, algorithms, encapsulated, ...more] = partsOf(inner, tags.sequence)
  const [contentType, wrappedContent] = partsOf(encapsulated, tags.sequence)
  const [octets] = partsOf(wrappedContent, tags.choice0)
  const [signer, ...others] = partsOf(more.at(-1), tags.set)
  const isToken =
    idOf(type) === ids.signedData && idOf(contentType) === ids.tstInfo && numberOf(version) === 3
  if (!isToken || others.length > 0) throw new NotDer()
  const { content } = tagged(octets, tags.octets)
  const shown = more.find(({ tag }) => tag === tags.choice0)
  const raw = shown ? partsOf(shown) : []
  if (raw.length > mostCertificates) throw new NotDer()
  return {
    content,
    info: infoIn(content),
    signer: signerIn(signer, partsOf(algorithms, tags.set)),
    certificates: raw.map(({ bytes }) => certificateOf(bytes)),
  }
}

function infoIn(content: Buffer) {
  const [version, policy, imprint, serial, time, ...more] = partsOf(readDer(content, tags.sequence))
  const [algorithm, hashed] = partsOf(imprint, tags.sequence)
  if (numberOf(version) !== 1) throw new NotDer()
  tagged(serial, tags.integer)
  return {
    policy: idOf(policy),
    digest: digests[algorithmIn(algorithm)],
    imprint: tagged(hashed, tags.octets).content,
    time: timeOf(time),
    nonce: more.find(({ tag }) => tag === tags.integer)?.content,
  }
}

function signerIn(signer: Der | undefined, algorithms: readonly Der[]) {
  const [version, id, digest, attributes, algorithm, signature] = partsOf(signer, tags.sequence)
  const listed = partsOf(attributes, tags.choice0).map(each => partsOf(each, tags.sequence))
  // The signature covers the attributes as a set.
  const signed = Buffer.from(tagged(attributes).bytes)
  signed[0] = tags.set
  const attribute = (id: string): Der | undefined => {
    const values = listed
      .filter(([type]) => idOf(type) === id)
      .flatMap(([, values]) => partsOf(values, tags.set))
    // A repeated attribute counts as unknown.
    return values.length === 1 ? values[0] : undefined
  }
  const isNamed = algorithms.some(({ bytes }) => bytes.equals(tagged(digest).bytes))
  const type = attribute(ids.contentType)
  if (numberOf(version) !== 1 || !isNamed || !type || idOf(type) !== ids.tstInfo) throw new NotDer()
  return {
    id: partsOf(id, tags.sequence),
    digest: digests[algorithmIn(digest)],
    attribute,
    signed,
    algorithm: algorithmIn(algorithm),
    signature: tagged(signature, tags.octets).content,
  }
}

/** The identifier of the algorithm. None of the known ones has parameters. */
export function algorithmIn(der: Der | undefined): string {
  const [id, parameters, ...more] = partsOf(der, tags.sequence)
  if (more.length || (parameters && tagged(parameters, tags.nothing).content.length)) throw new NotDer()
  return idOf(id)
}

const numberOf = (der: Der | undefined): number => {
  const { content } = tagged(der, tags.integer)
  return content.length === 1 ? (content[0] as number) : Number.NaN
}

/** An authority sends the same few small certificates in each of its time-stamps. */
const known = new Bounded<X509Certificate>({ most: 100 })
const mostBytesKnown = 8_192

function certificateOf(der: Buffer): X509Certificate {
  const bytes = der.toString('latin1')
  const before = known.ask(bytes)
  if (before) return before
  try {
    const certificate = new X509Certificate(der)
    // Node reads the key only on request, and throws if it cannot.
    if (certificate.publicKey && der.length <= mostBytesKnown) known.set(bytes, certificate)
    return certificate
  } catch {
    throw new NotDer()
  }
}

/** The parts of a certificate that Node does not expose. */
export function signedPartsOf({ raw }: X509Certificate) {
  const [signed] = partsOf(readDer(raw, tags.sequence))
  const parts = partsOf(signed, tags.sequence)
  const [serial, , issuer] = parts[0]?.tag === tags.choice0 ? parts.slice(1) : parts
  const [extensions] = partsOf(parts.find(({ tag }) => tag === tags.choice3) ?? parts[0])
  return { serial, issuer, extensions }
}
