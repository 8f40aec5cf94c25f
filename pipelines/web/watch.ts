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
  parts: Buffer[]
  size: number
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

  function add(part: string | undefined, size: number): void {
    if (!document) return
    if (part) document.parts.push(Buffer.from(part, 'base64'))
    document.size += size
    if (document.size > mostDocumentBytes)
      stop({ refusal: 'page_too_large', message: `The page is larger than ${mostDocumentBytes} bytes` })
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
      parts: [],
      size: 0,
    }
  })
  session.on('Network.responseReceived', ({ requestId, response }) => {
    movedAt = performance.now()
    if (requestId !== document?.requestId) return
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
    session.send('Network.streamResourceContent', { requestId }).then(
      ({ bufferedData }) => add(bufferedData, 0),
      // The document is read to its end already.
      () => {},
    )
  })
  session.on('Network.dataReceived', ({ requestId, data, dataLength }) => {
    if (requestId === document?.requestId) add(data, dataLength)
  })
  for (const end of ['Network.loadingFinished', 'Network.loadingFailed'])
    session.on(end, ({ requestId }) => {
      movedAt = performance.now()
      fetching.delete(requestId)
    })

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

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
