/**
 * Reads a body that may be hostile.
 * It counts bytes before and after every decompression, and stops when there are too many.
 */
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { reasonOf } from '../../failures.ts'
import type { InHand } from '../../in-hand.ts'
import { type ContentType, contentType, sniffedBytes } from './content-type.ts'
import { Gathered } from './gathered.ts'
import { VisitFailed } from './visit-failures.ts'

export interface BodyLimits {
  /** The limit of the unpacked body. The packed body, and each step between, may always have 1 MB. */
  maxBytes: number
  /** What happens to a larger one: `refuse` fails, `cut` returns its beginning. */
  beyond: 'refuse' | 'cut'
  /** Decides by its type whether the content is wanted. It is called once, as soon as enough bytes are there. */
  wants: (type: ContentType) => boolean
}

export interface Body {
  bytes: Buffer
  type: ContentType
  /** Whether the body was longer than `bytes`. */
  cut: boolean
}

/** The codings that we ask for. A body with another one, or with too many of them, is not read. */
export const acceptEncoding = 'gzip, br'
const decoders = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', createUnzip],
  ['x-gzip', createUnzip],
  ['deflate', createUnzip],
  ['br', createBrotliDecompress],
])
const mostCodings = 2
const leastPacked = 1 << 20
/** Each chunk is work, however small. The framing of one-byte chunks is five times their content. */
const mostFraming = 0.25
const freeFraming = 256 << 10

export async function readBody(
  response: IncomingMessage,
  host: string,
  { maxBytes, beyond, wants }: BodyLimits,
  signal: AbortSignal,
  budget: ReturnType<InHand['shareOf']>,
): Promise<Body> {
  const kept = new Gathered()
  let cut = false
  let type: ContentType | undefined

  function overflows(bytes: number, most = maxBytes): boolean {
    if (bytes <= most) return false
    if (beyond === 'refuse') throw new VisitFailed('too_large', `${host} sends more than ${maxBytes} bytes`)
    cut = true
    return true
  }
  async function* counted(source: AsyncIterable<Buffer>) {
    let passed = 0
    for await (const part of source) {
      passed += part.length
      if (overflows(passed, Math.max(maxBytes, leastPacked))) return
      yield part
    }
  }
  async function* framed(source: AsyncIterable<Buffer>) {
    const { socket } = response
    const before = socket.bytesRead
    let passed = 0
    for await (const part of source) {
      passed += part.length
      const received = passed + response.readableLength
      if (socket.bytesRead - before > freeFraming + received * (1 + mostFraming))
        throw new VisitFailed('broken_body', `${host} sends its body in too many pieces`)
      yield part
    }
  }
  function look(): ContentType {
    if (type) return type
    type = contentType(response.headers['content-type'], kept.bytes().subarray(0, sniffedBytes))
    if (!wants(type)) throw new VisitFailed('unexpected_type', `${host} sends ${type.essence}`)
    return type
  }
  async function keep(source: AsyncIterable<Buffer>) {
    for await (const part of source) {
      if (!budget.take(part.length))
        throw new VisitFailed('crowded', 'the service receives too much at the moment')
      kept.add(part)
      if (kept.size >= sniffedBytes) look()
      if (overflows(kept.size)) return
    }
  }

  if (beyond === 'refuse') overflows(Number(response.headers['content-length'] ?? 0))
  const unpacking = decodersOf(response, host).flatMap(decoder => [counted, decoder()])
  try {
    await pipeline([response, framed, ...unpacking, keep], { signal })
  } catch (error) {
    if (signal.aborted || error instanceof VisitFailed) throw error
    // A cut breaks the pipe on purpose. That is not a failure.
    if (!cut)
      throw new VisitFailed('broken_body', `${host} sends a broken body: ${reasonOf(error)}`, {
        cause: error,
      })
  }
  return { type: look(), bytes: kept.bytes().subarray(0, maxBytes), cut }
}

function decodersOf({ headers }: IncomingMessage, host: string): (() => NodeJS.ReadWriteStream)[] {
  const codings = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map(coding => coding.trim())
    .filter(coding => coding !== '' && coding !== 'identity')
  const known = codings.map(coding => decoders.get(coding)).filter(decoder => decoder !== undefined)
  if (known.length < codings.length || codings.length > mostCodings)
    throw new VisitFailed('broken_body', `${host} sends a body coded as ${codings.join(', ').slice(0, 100)}`)
  return known.reverse()
}
