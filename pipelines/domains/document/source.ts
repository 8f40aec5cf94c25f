/** A document as a child gets it. Only the child reads it. */
import { textOf } from '../../rails/formats/charset.ts'
import type { Page } from '../../rails/outside/pages/page.ts'

/** As its server has sent it, or as a browser has shown it. */
export type Source = { bytes: Uint8Array; charset: string | undefined } | { html: string }

/** Of a page, what a child needs to read it. */
export interface Readable extends Pick<Page, 'bytes' | 'charset' | 'contentType'> {
  rendered?: { html: string } | undefined
  /** Makes the addresses of its links absolute. */
  finalUrl?: string
}

export const sourceOf = ({ bytes, charset, rendered }: Readable): Source =>
  rendered ? { html: rendered.html } : { bytes, charset }

/** A letter of a text takes two bytes. */
export const sourceBytes = (source: Source): number =>
  'html' in source ? 2 * source.html.length : source.bytes.length

export function sourceText(source: Source): string {
  if ('html' in source) return source.html
  const { buffer, byteOffset, byteLength } = source.bytes
  return textOf({
    bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength),
    charset: source.charset,
  })
}
