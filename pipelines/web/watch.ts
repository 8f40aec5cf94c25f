/** Follows what a page in the browser fetches: its document, its redirects, and whether it still moves. */
import type { Session } from './cdp.ts'
import type { NoPage } from './page.ts'

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
  /** When the page last began or ended a request. */
  readonly movedAt: number
  /** Whether something that it shows is still on its way. */
  readonly isFetching: boolean
}

const mostRedirects = 5
export const mostDocumentBytes = 8 << 20
/** What changes the text of a page. Pictures and streams come when they come. */
const awaited = new Set(['Document', 'Stylesheet', 'Script', 'XHR', 'Fetch'])

export function watch(session: Session, frameId: string): Watch {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<NoPage>()
  const redirects: { url: string; status: number }[] = []
  const fetching = new Set<string>()
  let document: Document | undefined
  let movedAt = performance.now()

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
    session.on(end, ({ requestId }) => {
      movedAt = performance.now()
      fetching.delete(requestId)
    })

  /**
   * The body is taken before the page gets it, and it is asked for without compression: so it cannot unfold in the
   * browser, and we have its very bytes.
   */
  async function pass(event: Paused): Promise<void> {
    const { requestId, request, frameId: of, responseStatusCode: status, responseErrorReason: failed } = event
    if (status === undefined && failed === undefined) {
      const headers = { ...request.headers, 'Accept-Encoding': 'identity' }
      await session.send('Fetch.continueRequest', { requestId, headers: listed(headers) })
      return
    }
    if (of === frameId && status !== undefined && !isRedirect(status)) {
      const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
      const bytes = Buffer.from(body, base64Encoded ? 'base64' : 'utf8')
      if (bytes.length > mostDocumentBytes) {
        stop({ refusal: 'page_too_large', message: `The page is larger than ${mostDocumentBytes} bytes` })
        return
      }
      if (document) document.body = bytes
    }
    await session.send('Fetch.continueRequest', { requestId })
  }
  // The page may have gone elsewhere, and then nobody waits for this document.
  session.on('Fetch.requestPaused', event => void pass(event).catch(() => {}))

  return {
    get document() {
      return document
    },
    redirects,
    stopped,
    get movedAt() {
      return movedAt
    },
    get isFetching() {
      return fetching.size > 0
    },
  }
}

interface Paused {
  requestId: string
  frameId: string
  request: { headers: Record<string, string> }
  responseStatusCode?: number
  responseErrorReason?: string
}

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

const listed = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
