/** Follows what a page in the browser fetches: its document, its redirects, and whether it still moves. */
import { contentType, sniffedBytes } from '../fetching/content-type.ts'
import type { NoPage } from '../pages/page.ts'
import { MessageTooLong, type Session } from './cdp.ts'

export interface Document {
  requestId: string
  url: string
  /** 0 until its server has answered. */
  status: number
  headers: Record<string, string>
  mimeType: string
  /** Undefined over plain HTTP. */
  security: { protocol: string; cipher: string } | undefined
  /** As its server has sent it. Undefined until all of it is there. */
  body: Buffer | undefined
}

export interface Watch {
  readonly document: Document | undefined
  readonly redirects: readonly { url: string; status: number }[]
  /** Resolves as soon as it is certain that this will be no page. */
  stopped: Promise<NoPage>
  /** Begins anew, and now takes a compressed body too. */
  again(): void
  /** When the page last began or ended a request. */
  readonly movedAt: number
  /** Whether something that it shows is still on its way. */
  readonly isFetching: boolean
}

const mostRedirects = 5
const mostDocumentBytes = 8 << 20
/** What changes the text of a page. Pictures and streams come when they come. */
const awaited = new Set(['Document', 'Stylesheet', 'Script', 'XHR', 'Fetch'])

export function watch(session: Session, frameId: string): Watch {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<NoPage>()
  const redirects: { url: string; status: number }[] = []
  const fetching = new Set<string>()
  let document: Document | undefined
  let movedAt = performance.now()
  let unfolds = false

  function leave(url: string, status: number): void {
    redirects.push({ url, status })
    if (redirects.length > mostRedirects)
      stop({ refusal: 'too_many_redirects', message: `The URL redirects more than ${mostRedirects} times` })
  }

  const isOfDocument = ({ type, frameId: of }: { type: string; frameId: string }) =>
    type === 'Document' && of === frameId

  session.on('Network.requestWillBeSent', event => {
    movedAt = performance.now()
    if (awaited.has(event.type) && /^https?:/.test(event.request.url)) fetching.add(event.requestId)
    if (!isOfDocument(event) || !/^https?:/.test(event.request.url)) return
    if (event.redirectResponse) leave(event.redirectResponse.url, event.redirectResponse.status)
    // A script or a refresh has led to another document.
    else if (document) leave(document.url, document.status)
    document = {
      requestId: event.requestId,
      url: event.request.url,
      status: 0,
      headers: {},
      mimeType: '',
      security: undefined,
      body: undefined,
    }
  })
  session.on('Network.responseReceived', ({ requestId, response }) => {
    movedAt = performance.now()
    if (!document || requestId !== document.requestId) return
    const { status, headers, mimeType, securityDetails } = response
    Object.assign(document, {
      status,
      headers: lowerCased(headers),
      mimeType,
      security: securityDetails && {
        protocol: securityDetails.protocol,
        cipher: securityDetails.cipher,
      },
    })
  })
  for (const end of ['Network.loadingFinished', 'Network.loadingFailed'])
    session.on(end, ({ requestId, errorText }) => {
      movedAt = performance.now()
      fetching.delete(requestId)
      // Half a page is no page. What was given up before is told by whoever gave it up.
      if (
        requestId === document?.requestId &&
        document?.status &&
        errorText &&
        errorText !== 'net::ERR_ABORTED'
      )
        stop(broken(document))
    })

  /**
   * The body is taken before the page gets it, so that we have its very bytes. It is asked for without compression, and
   * then the browser unfolds none. A server that compresses all the same is asked again, and its body is read in parts.
   */
  async function pass(event: Paused): Promise<void> {
    const { requestId, request, frameId: of, responseStatusCode: status, responseErrorReason: failed } = event
    if (status === undefined && failed === undefined) {
      const headers = { ...request.headers, ...(!unfolds && { 'Accept-Encoding': 'identity' }) }
      await session.send('Fetch.continueRequest', { requestId, headers: listed(headers) })
      return
    }
    if (of === frameId && status !== undefined && !isRedirect(status)) {
      await take(event, status)
      return
    }
    await session.send('Fetch.continueRequest', { requestId })
  }
  async function take({ requestId, networkId, responseHeaders = [] }: Paused, status: number): Promise<void> {
    const bytes = await (unfolds ? streamed(session, requestId) : whole(session, requestId))
    // The page may have gone elsewhere meanwhile.
    if (!document || networkId !== document.requestId) return
    if (!bytes || bytes === 'too long' || bytes.length > mostDocumentBytes) {
      stop(bytes ? tooLarge : broken(document))
      return
    }
    document.body = bytes
    if (!unfolds) await session.send('Fetch.continueRequest', { requestId })
    else
      await session.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: status,
        responseHeaders: responseHeaders.filter(({ name }) => !/^content-(encoding|length)$/i.test(name)),
        body: bytes.toString('base64'),
      })
  }
  // The page may have gone elsewhere, and then nobody waits for this document.
  session.on('Fetch.requestPaused', event => void pass(event).catch(() => {}))

  return {
    get document() {
      return document
    },
    redirects,
    stopped,
    again() {
      unfolds = true
      document = undefined
      redirects.length = 0
    },
    get movedAt() {
      return movedAt
    },
    get isFetching() {
      return fetching.size > 0
    },
  }
}

const tooLarge: NoPage = {
  refusal: 'page_too_large',
  message: `The page is larger than ${mostDocumentBytes} bytes`,
}
const broken = ({ url }: Document): NoPage => ({
  refusal: 'page_fetch_failed',
  message: `${new URL(url).hostname} sends a broken body`,
})

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

/** Undefined: it broke off. */
async function whole(session: Session, requestId: string): Promise<Buffer | 'too long' | undefined> {
  const asked = session.send('Fetch.getResponseBody', { requestId })
  const sent = await asked.catch(error => (error instanceof MessageTooLong ? 'too long' : undefined))
  if (sent === 'too long') return sent
  return sent && Buffer.from(sent.body, sent.base64Encoded ? 'base64' : 'utf8')
}

/** Stops where it is too large, however small it was packed. */
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
    // The server sends something else than it says.
    return undefined
  } finally {
    session.send('IO.close', { handle }).catch(() => {})
  }
}

const listed = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export const typeOf = ({ headers, mimeType, body = Buffer.alloc(0) }: Document) =>
  contentType(headers['content-type'] ?? mimeType, body.subarray(0, sniffedBytes))
