/** The document of a page in the browser, as its server sent it. */
import { contentType, sniffedBytes } from '../fetching/content-type.ts'
import type { NoPage } from '../pages/page.ts'

export interface Document {
  requestId: string
  url: string
  /** 0 until the server has answered. */
  status: number
  headers: Record<string, string>
  mimeType: string
  /** Undefined over plain HTTP. */
  security: { protocol: string; cipher: string } | undefined
  /** As its server sent it. Undefined until it is complete. */
  body: Buffer | undefined
}

export const mostDocumentBytes = 8 << 20

export const tooLarge: NoPage = {
  refusal: 'page_too_large',
  message: `The page is larger than ${mostDocumentBytes} bytes`,
}
export const broken = ({ url }: Document): NoPage => ({
  refusal: 'page_fetch_failed',
  message: `${new URL(url).hostname} sends a broken body`,
})

export const typeOf = ({ headers, mimeType, body = Buffer.alloc(0) }: Document) =>
  contentType(headers['content-type'] ?? mimeType, body.subarray(0, sniffedBytes))
