/** A page as its server has sent it. */
import type { Readable } from '../../../../pipelines/domains/document/source.ts'

export const pageOf = (html: string): Readable => ({
  bytes: Buffer.from(html),
  charset: 'utf-8',
  contentType: 'text/html',
})
