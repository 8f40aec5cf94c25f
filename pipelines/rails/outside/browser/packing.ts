/**
 * Packs a rendered page into one blob: its facts as JSON, followed by the long data as bytes. The renderer runs
 * scripts of strangers and may be compromised, so nothing in a blob is trusted before it fits this form.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { UpstreamFailed } from '../../failures.ts'
import type { Fresh } from './render.ts'

/** More than the limits of a document, its HTML after the scripts, its text and a picture together. */
const mostUnpackedBytes = 64 << 20
const mostCertificates = 100
const headBytes = 4
const pieceBytes = 1 << 20

const text = z.string()
const whole = z.int().min(0)
const Tls = z.strictObject({ protocol: text, cipher: text })
const Pictured = z.strictObject({
  width: whole,
  height: whole,
  isCut: z.boolean(),
  bannersHidden: whole,
  problem: z.enum(['no_such_element', 'invalid_selector', 'picture_too_large']).nullable(),
})
const Rendered = z.strictObject({
  title: text,
  lang: text.nullable(),
  browser: text,
  userAgent: text,
  tls: Tls.nullable(),
  pictured: Pictured.optional(),
})
const Facts = z.strictObject({
  url: text,
  finalUrl: text,
  redirects: z.array(z.strictObject({ url: text, status: whole })),
  status: whole,
  headers: z.record(text, text),
  contentType: text,
  charset: text.nullable(),
  address: text,
  port: whole,
  requestedAt: z.number(),
  fetchedAt: z.number(),
  rendered: Rendered.nullable(),
})
const Head = z.strictObject({
  facts: Facts,
  /** The lengths of body, text, marked text, HTML, picture and certificates. A page without a picture has -1 there. */
  lengths: z
    .array(z.int().min(-1))
    .min(5)
    .max(5 + mostCertificates),
})

/** Part by part: a page has megabytes, and other callers wait on this thread. */
export async function packed(page: Fresh): Promise<Buffer> {
  const { bytes, charset = null, rendered, ...more } = page
  const { text = '', marked = '', html = '', picture, tls = null, ...shown } = rendered ?? {}
  const { certificates = [], ...agreed } = tls ?? {}
  const parts = [bytes, text, marked, html, picture, ...certificates]
  const facts = { ...more, charset, rendered: rendered ? { ...shown, tls: tls && agreed } : null }
  const lengths = parts.map(part => (part === undefined ? -1 : Buffer.byteLength(part)))
  const head = Buffer.from(JSON.stringify({ facts, lengths }))
  const size = Buffer.alloc(headBytes)
  size.writeUInt32BE(head.length)
  function* all() {
    for (const part of [size, head, ...parts])
      if (part?.length) yield Buffer.isBuffer(part) ? part : Buffer.from(part)
  }
  return Buffer.concat(await pipeline(Readable.from(all()), createZstdCompress(), collected))
}

/** Rejects with UpstreamFailed if the blob has another form, or comes from another release. */
export async function unpacked(blob: Buffer): Promise<Fresh> {
  try {
    const unfolding = createZstdDecompress({ chunkSize: pieceBytes })
    return await pageIn(new Pieces(await pipeline(Readable.from([blob]), unfolding, collected)))
  } catch (error) {
    throw new UpstreamFailed('a rendered page is not packed as it should be', { cause: error })
  }
}

async function collected(source: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of source) {
    size += piece.length
    if (size > mostUnpackedBytes) throw new RangeError(`it has more than ${mostUnpackedBytes} bytes`)
    pieces.push(piece)
  }
  return pieces
}

/** Bytes that never stand in one piece: they are taken from the front. */
class Pieces {
  readonly #pieces: Buffer[]

  constructor(pieces: Buffer[]) {
    this.#pieces = pieces
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  async take(length: number): Promise<Buffer> {
    const taken: Buffer[] = []
    for (let wanted = length; wanted > 0; ) {
      const first = this.#pieces.shift()
      if (!first) throw new RangeError(`it ends ${wanted} bytes too early`)
      taken.push(first.subarray(0, wanted))
      if (first.length > wanted) this.#pieces.unshift(first.subarray(wanted))
      wanted -= first.length
    }
    await turn()
    return Buffer.concat(taken)
  }
}

async function pageIn(pieces: Pieces): Promise<Fresh> {
  const size = (await pieces.take(headBytes)).readUInt32BE(0)
  const { facts, lengths } = Head.parse(JSON.parse(String(await pieces.take(size))))
  const parts: (Buffer | undefined)[] = []
  for (const length of lengths) parts.push(length < 0 ? undefined : await pieces.take(length))
  if (!pieces.isEmpty) throw new RangeError('it has more bytes than it tells')
  const [bytes = Buffer.of(), text = '', marked = '', html = '', picture, ...certificates] = parts
  const { charset, rendered, ...more } = facts
  const tls = rendered?.tls && {
    ...rendered.tls,
    certificates: certificates.filter(each => each !== undefined),
  }
  return {
    ...more,
    bytes,
    charset: charset ?? undefined,
    rendered: rendered
      ? {
          ...rendered,
          text: await textIn(text),
          marked: await textIn(marked),
          html: await textIn(html),
          picture,
          tls: tls ?? null,
        }
      : undefined,
  }
}

async function textIn(bytes: Buffer | ''): Promise<string> {
  await turn()
  return String(bytes)
}
