/** Asks an authority for a time-stamp over a hash (RFC 3161 over HTTP). */
import { randomBytes } from 'node:crypto'
import { reasonOf } from '../../../rails/failures.ts'
import { NotDer, partsOf, readDer, tagged, tags, written } from './der.ts'
import { BadToken, mostTokenBytes, readToken, type Stamp } from './token.ts'
import type { Trust } from './trust.ts'

const patienceMs = 5_000
/** A token, and the rest of the authority's reply. */
const mostBytes = mostTokenBytes + 1024

interface Asked {
  sha256: string
  trust: Trust
  signal?: AbortSignal
  timeoutMs?: number
}

/** The bytes of a request, and the nonce that the reply must repeat. */
export function requestFor(sha256: string): { der: Buffer; nonce: Buffer } {
  const nonce = randomBytes(16)
  // A positive number without a leading zero byte has only one form.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40
  const { sequence, integer, octets, boolean } = tags
  const imprint = written(sequence, sha256Algorithm, written(octets, Buffer.from(sha256, 'hex')))
  const version = written(integer, Buffer.of(1))
  const withCertificate = written(boolean, Buffer.of(0xff))
  return { der: written(sequence, version, imprint, written(integer, nonce), withCertificate), nonce }
}

/** The identifier of SHA-256, and no parameters. */
const sha256Algorithm = Buffer.from('300d06096086480165030402010500', 'hex')

/** Rejects with BadToken if the authority does not answer, refuses, or sends a token that proves nothing. */
export async function askForStamp(
  url: string,
  { sha256, trust, signal, timeoutMs = patienceMs }: Asked,
): Promise<Stamp> {
  const { der, nonce } = requestFor(sha256)
  const late = AbortSignal.timeout(timeoutMs)
  const ending = signal ? AbortSignal.any([signal, late]) : late
  const reply = await post(url, der, ending).catch(error => {
    // The other end may just have closed an idle connection. A new one is open.
    if (!(error instanceof Broken) || ending.aborted) throw error
    return post(url, der, ending)
  })
  return readToken(tokenIn(reply), { sha256, trust, nonce })
}

/** The connection broke. */
class Broken extends BadToken {}

async function post(url: string, body: Buffer, signal: AbortSignal): Promise<Buffer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: new Uint8Array(body),
      redirect: 'error',
      signal,
    })
    if (!response.ok) throw new BadToken(`it answers ${response.status}`)
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body ?? []) {
      parts.push(part)
      size += part.length
      if (size > mostBytes) throw new BadToken(`it answers with more than ${mostBytes} bytes`)
    }
    return Buffer.concat(parts)
  } catch (error) {
    if (error instanceof BadToken) throw error
    throw new Broken(`it does not answer: ${reasonOf(error)}`)
  }
}

/** The time-stamp in a reply, with its original bytes. Throws BadToken. */
export function tokenIn(reply: Buffer): Buffer {
  const { status, token } = read(reply)
  if (status > 1) throw new BadToken(`it refuses with status ${status}`)
  if (!token) throw new BadToken('it grants a time-stamp and sends none')
  return token
}

function read(reply: Buffer): { status: number; token: Buffer | undefined } {
  try {
    const [info, token] = partsOf(readDer(reply, tags.sequence))
    const [status] = partsOf(info, tags.sequence)
    return { status: tagged(status, tags.integer).content[0] ?? 2, token: token?.bytes }
  } catch (error) {
    if (!(error instanceof NotDer)) throw error
    throw new BadToken('its answer is not a reply of RFC 3161')
  }
}
