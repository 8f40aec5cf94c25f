/** A time-stamp authority (RFC 3161) of the sandbox's own. It stamps the local time, so it proves nothing. */
import { createHash, webcrypto } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fromBER, Integer, ObjectIdentifier, Sequence } from 'asn1js'
import {
  Attribute,
  Certificate,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  PKIStatusInfo,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'
import { algorithm, bufferOf, type Identity, issue, octets, pemOf, timeStamping } from './certificates.ts'

export interface TimeAuthority {
  url: string
  /** The certificate of its root, as PEM. */
  pem: string
  close(): Promise<void>
}

export const authorityName = 'Farebox test authority, proves nothing'
/** The enterprise number for examples (RFC 5612). */
export const policy = '1.3.6.1.4.1.32473.1'
const tstInfoId = '1.2.840.113549.1.9.16.1.4'
const yearMs = 365 * 86_400_000

export interface Witness {
  /** The certificate of its root, as DER. */
  root: Buffer
  leaf: Identity
}

export async function newWitness(
  now = Date.now(),
  more: Partial<Parameters<typeof issue>[0]> = {},
): Promise<Witness> {
  const life = { from: new Date(now - 86_400_000), to: new Date(now + 10 * yearMs) }
  const root = await issue({ name: `${authorityName} (root)`, ...life })
  return {
    root: root.der,
    leaf: await issue({ name: authorityName, ...life, usage: timeStamping, ...more }, root),
  }
}

/** Replies to a request. Refuses bytes that are no request. */
export async function stamp(der: Uint8Array, { leaf }: Witness, now: number): Promise<Buffer> {
  const { result, offset } = fromBER(bufferOf(der))
  if (offset < 0) return replyOf(new TimeStampResp({ status: new PKIStatusInfo({ status: 2 }) }))
  const request = new TimeStampReq({ schema: result })
  const info = new TSTInfo({
    version: 1,
    policy,
    messageImprint: request.messageImprint,
    serialNumber: new Integer({ value: Math.floor(now / 1000) }),
    genTime: new Date(Math.floor(now / 1000) * 1000),
    ...(request.nonce && { nonce: request.nonce }),
  })
  const content = new Uint8Array(info.toSchema().toBER())
  const encapContentInfo = new EncapsulatedContentInfo({ eContentType: tstInfoId })
  // Set afterwards, because the constructor would cut the content into pieces, which DER does not allow.
  encapContentInfo.eContent = octets(content)
  const signed = new SignedData({
    version: 3,
    encapContentInfo,
    certificates: [leaf.certificate],
    signerInfos: [
      new SignerInfo({
        version: 1,
        sid: new IssuerAndSerialNumber({
          issuer: leaf.certificate.issuer,
          serialNumber: leaf.certificate.serialNumber,
        }),
        signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes: attributesOf(content, leaf) }),
      }),
    ],
  })
  await signed.sign(leaf.keys.privateKey, 0, 'SHA-256')
  return replyOf(
    new TimeStampResp({
      status: new PKIStatusInfo({ status: 0 }),
      timeStampToken: new ContentInfo({
        contentType: ContentInfo.SIGNED_DATA,
        content: signed.toSchema(true),
      }),
    }),
  )
}

const replyOf = (reply: TimeStampResp): Buffer => Buffer.from(reply.toSchema().toBER())

const sha256 = (bytes: Uint8Array) => octets(createHash('sha256').update(bytes).digest())

/** Sorted by their bytes, as DER demands. */
function attributesOf(content: Uint8Array, { der }: Identity): Attribute[] {
  // SigningCertificateV2 names the certificate by its hash.
  const named = new Sequence({ value: [new Sequence({ value: [new Sequence({ value: [sha256(der)] })] })] })
  const attributes = [
    new Attribute({ type: '1.2.840.113549.1.9.3', values: [new ObjectIdentifier({ value: tstInfoId })] }),
    new Attribute({ type: '1.2.840.113549.1.9.4', values: [sha256(content)] }),
    new Attribute({ type: '1.2.840.113549.1.9.16.2.47', values: [named] }),
  ]
  const bytes = (attribute: Attribute) => Buffer.from(attribute.toSchema().toBER())
  return attributes.sort((a, b) => Buffer.compare(bytes(a), bytes(b)))
}

/** `answer` replaces the authority, for one that misbehaves. */
export async function serveTimeAuthority(
  witness: Witness,
  {
    now = Date.now,
    answer = (der: Buffer) => stamp(der, witness, now()),
  }: { now?: () => number; answer?: (der: Buffer) => Promise<Buffer> } = {},
): Promise<TimeAuthority> {
  const server = createServer(async (request, response) => {
    try {
      const reply = await answer(await bodyOf(request))
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(reply)
    } catch {
      // The body is no request.
      response.writeHead(400).end()
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    pem: pemOf('CERTIFICATE', witness.root),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

/** Keeps its keys over a restart, so that the sandbox trusts its earlier stamps. */
async function keptWitness(file: string): Promise<Witness> {
  if (!existsSync(file)) {
    const { root, leaf } = await newWitness()
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', leaf.keys.privateKey))
    const parts = [root, leaf.der, key].map(part => part.toString('base64'))
    writeFileSync(file, JSON.stringify(parts), { mode: 0o600 })
  }
  const [root, leaf, key] = (JSON.parse(readFileSync(file, 'utf8')) as [string, string, string]).map(part =>
    Buffer.from(part, 'base64'),
  ) as [Buffer, Buffer, Buffer]
  const certificate = Certificate.fromBER(bufferOf(leaf))
  const privateKey = await webcrypto.subtle.importKey('pkcs8', bufferOf(key), algorithm, true, ['sign'])
  return {
    root,
    leaf: { certificate, der: leaf, keys: { privateKey, publicKey: await certificate.getPublicKey() } },
  }
}

/** Starts the authority, with its root in a file for the service. */
export async function startTimeAuthority(folder: string): Promise<TimeAuthority & { rootsFile: string }> {
  const authority = await serveTimeAuthority(await keptWitness(join(folder, 'time-authority.json')))
  const rootsFile = join(folder, 'time-authority.pem')
  writeFileSync(rootsFile, authority.pem)
  return { ...authority, rootsFile }
}
