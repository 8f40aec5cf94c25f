/**
 * Packs a rendered page into one blob: what is known of it as JSON, and behind it what is long, as bytes. The renderer runs
 * scripts of strangers and may have been taken over, so that nothing of a blob is believed before it fits this form.
 */
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { UpstreamFailed } from '../../failures.ts'
import type { Fresh } from './render.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** More than a document, its HTML after the scripts, its text and a picture take at their limits. */
const mostUnpackedBytes = 64 << 20
const mostCertificates = 100
const headBytes = 4

const text = z.string()
const whole = z.int().min(0)
const Tls = z.strictObject({ protocol: text, cipher: text })
const Rendered = z.strictObject({
  title: text,
  lang: text.nullable(),
  browser: text,
  userAgent: text,
  tls: Tls.nullable(),
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
  /** The lengths of body, text, HTML, picture and certificates. A page without a picture has -1 there. */
  lengths: z
    .array(z.int().min(-1))
    .min(4)
    .max(4 + mostCertificates),
})

export function packed(page: Fresh): Promise<Buffer> {
  const { bytes, charset = null, rendered, ...more } = page
  const { text, html, picture, tls = null, ...shown } = rendered ?? {}
  const { certificates = [], ...agreed } = tls ?? {}
  const parts = [bytes, Buffer.from(text ?? ''), Buffer.from(html ?? ''), picture, ...certificates]
  const facts = { ...more, charset, rendered: rendered ? { ...shown, tls: tls && agreed } : null }
  const head = Buffer.from(JSON.stringify({ facts, lengths: parts.map(part => part?.length ?? -1) }))
  const size = Buffer.alloc(headBytes)
  size.writeUInt32BE(head.length)
  return compress(Buffer.concat([size, head, ...parts.filter(part => part !== undefined)]))
}

/** Rejects with UpstreamFailed where it is something else, or where another release has packed it. */
export async function unpacked(blob: Buffer): Promise<Fresh> {
  try {
    return pageIn(await decompress(blob, { maxOutputLength: mostUnpackedBytes }))
  } catch (error) {
    throw new UpstreamFailed('a rendered page is not packed as it should be', { cause: error })
  }
}

function pageIn(all: Buffer): Fresh {
  const end = headBytes + all.readUInt32BE(0)
  const { facts, lengths } = Head.parse(JSON.parse(all.toString('utf8', headBytes, end)))
  let at = end
  const parts = lengths.map(length => {
    if (length < 0) return undefined
    at += length
    return all.subarray(at - length, at)
  })
  if (at !== all.length) throw new RangeError(`it has ${all.length} bytes, and ${at} are told`)
  const [bytes = Buffer.of(), text = '', html = '', picture, ...certificates] = parts
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
      ? { ...rendered, text: String(text), html: String(html), picture, tls: tls ?? null }
      : undefined,
  }
}
