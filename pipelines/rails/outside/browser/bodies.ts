/** Takes the body of a page's document before the browser gets it. */
import type { NoPage } from '../pages/page.ts'
import { MessageTooLong, type Session } from './cdp.ts'
import { broken, type Document, mostDocumentBytes, tooLarge } from './document.ts'

/**
 * Takes the body before the page gets it, so that we have its exact bytes. It requests no compression, so the browser
 * unpacks nothing. If a server compresses anyway, it is asked again, and its body is read in parts.
 */
export class Bodies {
  readonly #session: Session
  readonly #frameId: string
  readonly #fetched: { readonly document: Document | undefined }
  readonly #stop: (reason: NoPage) => void
  #unfolds = false

  constructor(
    session: Session,
    frameId: string,
    fetched: { readonly document: Document | undefined },
    stop: (reason: NoPage) => void,
  ) {
    this.#session = session
    this.#frameId = frameId
    this.#fetched = fetched
    this.#stop = stop
  }

  /** From now on, compressed bodies are taken too. */
  unfold(): void {
    this.#unfolds = true
  }

  async pass(event: Paused): Promise<void> {
    const { requestId, request, frameId: of, responseStatusCode: status, responseErrorReason: failed } = event
    if (status === undefined && failed === undefined) {
      const headers = { ...request.headers, ...(!this.#unfolds && { 'Accept-Encoding': 'identity' }) }
      await this.#session.send('Fetch.continueRequest', { requestId, headers: listed(headers) })
      return
    }
    if (of === this.#frameId && status !== undefined && !isRedirect(status)) {
      await this.#take(event, status)
      return
    }
    await this.#session.send('Fetch.continueRequest', { requestId })
  }

  async #take({ requestId, networkId, responseHeaders = [] }: Paused, status: number): Promise<void> {
    const bytes = await (this.#unfolds ? streamed : whole)(this.#session, requestId)
    const { document } = this.#fetched
    // The page may have moved to another document in the meantime.
    if (!document || networkId !== document.requestId) return
    if (!bytes || bytes === 'too long' || bytes.length > mostDocumentBytes) {
      this.#stop(bytes ? tooLarge : broken(document))
      return
    }
    document.body = bytes
    if (!this.#unfolds) await this.#session.send('Fetch.continueRequest', { requestId })
    else
      await this.#session.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: status,
        responseHeaders: responseHeaders.filter(({ name }) => !/^content-(encoding|length)$/i.test(name)),
        body: bytes.toString('base64'),
      })
  }
}

interface Paused {
  requestId: string
  frameId: string
  request: { headers: Record<string, string> }
  networkId?: string
  responseHeaders?: { name: string; value: string }[]
  responseStatusCode?: number
  responseErrorReason?: string
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** Undefined if the body broke off. */
async function whole(session: Session, requestId: string): Promise<Buffer | 'too long' | undefined> {
  const asked = session.send('Fetch.getResponseBody', { requestId })
  const sent = await asked.catch(error => (error instanceof MessageTooLong ? 'too long' : undefined))
  if (sent === 'too long') return sent
  return sent && Buffer.from(sent.body, sent.base64Encoded ? 'base64' : 'utf8')
}

/** Stops at the size limit, however small the packed body was. */
async function streamed(session: Session, requestId: string): Promise<Buffer | undefined> {
  const { stream: handle } = await session.send('Fetch.takeResponseBodyAsStream', { requestId })
  const parts: Buffer[] = []
  let size = 0
  try {
    for (let eof = false; !eof && size <= mostDocumentBytes; ) {
      const part = await session.send('IO.read', { handle, size: 1 << 20 })
      const bytes = Buffer.from(part.data, part.base64Encoded ? 'base64' : 'utf8')
      parts.push(bytes)
      size += bytes.length
      eof = part.eof
    }
    return Buffer.concat(parts)
  } catch {
    // The server's content differs from its headers.
    return undefined
  } finally {
    session.send('IO.close', { handle }).catch(() => {})
  }
}

const listed = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))
