/** Checks the evidence of an attestation against its statement. Each part may be missing. Then no check reports on it. */
import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { sha256 } from '../../rails/signing/sha256.ts'
import type { Evidence } from './attestation.ts'
import { type AttestationCheck, check } from './check.ts'
import { jpegSize } from './jpeg.ts'
import { lengthOf, type Statement } from './statement.ts'

export function evidenceChecks(statement: Statement, evidence: Evidence): AttestationCheck[] {
  const { text, screenshot_base64, html_base64, certificates_base64 } = evidence
  const picture = bytes(screenshot_base64)
  return [
    hashed('text', text, statement.text_sha256),
    told('text_chars', text, text => lengthOf(text) === statement.text_chars, 'the number of its characters'),
    hashed('screenshot', picture, statement.screenshot_sha256),
    told('screenshot_size', picture, isOfSize(statement.viewport), 'a JPEG of that size'),
    hashed('html', bytes(html_base64), statement.html_sha256),
    ...certificateChecks(
      statement,
      certificates_base64?.map(each => Buffer.from(each, 'base64')),
    ),
  ]
}

const bytes = (base64: string | undefined): Buffer | undefined =>
  base64 === undefined ? undefined : Buffer.from(base64, 'base64')

const absent = 'it is not there'

function told<T>(
  name: string,
  part: T | undefined,
  holds: (part: T) => boolean,
  what: string,
): AttestationCheck {
  if (part === undefined) return check(name, null, absent)
  const ok = holds(part)
  return check(name, ok, `${ok ? '' : 'not '}as stated: ${what}`)
}

/** Half of a surrogate pair would be hashed as another character. */
const isWhole = (part: string | Buffer): boolean => typeof part !== 'string' || part.isWellFormed()

const hashed = (name: string, part: string | Buffer | undefined, hash: string): AttestationCheck =>
  told(name, part, part => isWhole(part) && sha256(part) === hash, `the hash of the ${name}`)

const isOfSize =
  (viewport: string) =>
  (picture: Buffer): boolean => {
    const size = jpegSize(picture)
    return size !== undefined && `${size.width}x${size.height}` === viewport
  }

function certificateChecks(
  { tls, final_url, observed_at }: Statement,
  shown: Buffer[] | undefined,
): AttestationCheck[] {
  const [leaf] = shown ?? []
  const hashes = tls?.chain_sha256 ?? []
  return [
    told(
      'certificate',
      shown,
      shown => shown.map(sha256).join() === hashes.join() && hashes[0] === tls?.certificate_sha256,
      'the hashes of the certificates',
    ),
    told(
      'certificate_name',
      leaf,
      leaf => isFor(leaf, final_url, new Date(observed_at)),
      'the host of final_url, within the life of the certificate',
    ),
  ]
}

function isFor(der: Buffer, url: string, at: Date): boolean {
  try {
    const certificate = new X509Certificate(der)
    const { hostname } = new URL(url)
    const literal = hostname.replace(/^\[|\]$/g, '')
    const names = isIP(literal) ? certificate.checkIP(literal) : certificate.checkHost(hostname)
    return names !== undefined && certificate.validFromDate <= at && at <= certificate.validToDate
  } catch {
    // A stranger sent it: bytes that are not a certificate, or a text that is not a URL.
    return false
  }
}
