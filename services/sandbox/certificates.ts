/** Authorities of the sandbox. Their keys are made here, and nobody else trusts them. */
import { randomBytes, webcrypto } from 'node:crypto'
import { Integer, OctetString, Utf8String } from 'asn1js'
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  GeneralNames,
} from 'pkijs'

interface KeyPair {
  privateKey: webcrypto.CryptoKey
  publicKey: webcrypto.CryptoKey
}

/** A certificate and its key. */
export interface Identity {
  certificate: Certificate
  der: Buffer
  keys: KeyPair
}

interface Issued {
  /** The common name. */
  name: string
  from: Date
  to: Date
  /** The hosts of a TLS server. */
  hosts?: readonly string[]
  /** The only allowed use of the key, as an object identifier. */
  usage?: string
}

export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

const newKeys = (): Promise<KeyPair> =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<KeyPair>

export const timeStamping = '1.3.6.1.5.5.7.3.8'

/** Issues a certificate. Without an issuer, the result is an authority that signs itself. */
export async function issue(
  { name, from, to, hosts, usage }: Issued,
  issuer?: Identity,
  keys?: KeyPair,
): Promise<Identity> {
  const own = keys ?? (await newKeys())
  const certificate = new Certificate()
  certificate.version = 2
  const serial = randomBytes(8)
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40
  certificate.serialNumber = new Integer({ valueHex: bufferOf(serial) })
  certificate.subject.typesAndValues.push(commonName(name))
  if (issuer) certificate.issuer = issuer.certificate.subject
  else certificate.issuer.typesAndValues.push(commonName(name))
  certificate.notBefore.value = from
  certificate.notAfter.value = to
  certificate.extensions = [
    extension('2.5.29.19', true, new BasicConstraints({ cA: !issuer }).toSchema().toBER()),
    ...(usage
      ? [extension('2.5.29.37', true, new ExtKeyUsage({ keyPurposes: [usage] }).toSchema().toBER())]
      : []),
    ...(hosts ? [extension('2.5.29.17', false, namesOf(hosts))] : []),
  ]
  await certificate.subjectPublicKeyInfo.importKey(own.publicKey)
  await certificate.sign((issuer?.keys ?? own).privateKey, 'SHA-256')
  return { certificate, der: Buffer.from(certificate.toSchema(true).toBER()), keys: own }
}

const commonName = (value: string) =>
  new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value }) })

const extension = (extnID: string, critical: boolean, extnValue: ArrayBuffer) =>
  new Extension({ extnID, critical, extnValue })

const namesOf = (hosts: readonly string[]): ArrayBuffer =>
  new GeneralNames({ names: hosts.map(value => new GeneralName({ type: 2, value })) }).toSchema().toBER()

export const bufferOf = (bytes: Uint8Array): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer

export const octets = (bytes: Uint8Array) => new OctetString({ valueHex: bufferOf(bytes) })

export const pemOf = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der)
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n')}\n-----END ${label}-----\n`

/** Writes the key for a TLS server. */
export const keyPem = async ({ privateKey }: KeyPair): Promise<string> =>
  pemOf('PRIVATE KEY', new Uint8Array(await webcrypto.subtle.exportKey('pkcs8', privateKey)))
