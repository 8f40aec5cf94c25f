/** A document in the form for a child. Only the child reads it. */
import { textOf } from '../../rails/formats/charset.ts'
import type { Page } from '../../rails/outside/pages/page.ts'

/** As its server sent it, or as a browser showed it. */
export type DocumentSource = { bytes: Uint8Array; charset: string | undefined } | { html: string }

/** The part of a page that a child needs to read it. */
export interface Readable extends Pick<Page, 'bytes' | 'charset' | 'contentType'> {
  rendered?: { html: string; text: string; marked: string } | undefined
  /** Makes the addresses of its links absolute. */
  finalUrl?: string
}

export const sourceOf = ({ bytes, charset, rendered }: Readable): DocumentSource =>
  rendered ? { html: rendered.html } : { bytes, charset }

/** Each character of a text takes two bytes. */
export const sourceBytes = (source: DocumentSource): number =>
  'html' in source ? 2 * source.html.length : source.bytes.length

export function sourceText(source: DocumentSource): string {
  if ('html' in source) return source.html
  const { buffer, byteOffset, byteLength } = source.bytes
  return textOf({
    bytes: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength),
    charset: source.charset,
  })
}
