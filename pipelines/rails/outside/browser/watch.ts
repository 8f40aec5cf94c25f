/** Follows the requests of a page in the browser: its document, its redirects, and whether it is still active. */
import type { NoPage } from '../pages/page.ts'
import { Bodies } from './bodies.ts'
import type { Session } from './cdp.ts'
import { broken, type Document } from './document.ts'

export interface Watch {
  readonly document: Document | undefined
  readonly redirects: readonly { url: string; status: number }[]
  /** Resolves as soon as it is certain that there will be no page. */
  stopped: Promise<NoPage>
  /** Begins again, and now also takes a compressed body. */
  again(): void
  /** The time when the page last began or ended a request. */
  readonly movedAt: number
  /** Whether a request for visible content is still running. */
  readonly isFetching: boolean
}

const mostRedirects = 5
/** The types of request that change the text of a page. Pictures and streams are not awaited. */
const awaited = new Set(['Document', 'Stylesheet', 'Script', 'XHR', 'Fetch'])

export function watch(session: Session, frameId: string): Watch {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<NoPage>()
  const fetched = new Fetched(frameId, stop)
  const bodies = new Bodies(session, frameId, fetched, stop)
  session.on('Network.requestWillBeSent', event => fetched.begin(event))
  session.on('Network.responseReceived', event => fetched.answer(event))
  for (const end of ['Network.loadingFinished', 'Network.loadingFailed'])
    session.on(end, event => fetched.end(event))
  // The page may have moved on, and then nobody waits for this document.
  session.on('Fetch.requestPaused', event => void bodies.pass(event).catch(() => {}))

  return {
    get document() {
      return fetched.document
    },
    redirects: fetched.redirects,
    stopped,
    again() {
      bodies.unfold()
      fetched.forget()
    },
    get movedAt() {
      return fetched.movedAt
    },
    get isFetching() {
      return fetched.isFetching
    },
  }
}

interface Begun {
  requestId: string
  type: string
  frameId: string
  request: { url: string }
  redirectResponse?: { url: string; status: number }
}

interface Answered {
  requestId: string
  response: {
    status: number
    headers: Record<string, string>
    mimeType: string
    securityDetails?: { protocol: string; cipher: string }
  }
}

type Stop = (reason: NoPage) => void

/** The requests of a page, and which of them is the document. */
class Fetched {
  readonly redirects: { url: string; status: number }[] = []
  document: Document | undefined
  movedAt = performance.now()
  readonly #frameId: string
  readonly #stop: Stop
  readonly #fetching = new Set<string>()

  constructor(frameId: string, stop: Stop) {
    this.#frameId = frameId
    this.#stop = stop
  }

  get isFetching(): boolean {
    return this.#fetching.size > 0
  }

  begin({ requestId, type, frameId, request: { url }, redirectResponse }: Begun): void {
    this.movedAt = performance.now()
    if (!/^https?:/.test(url)) return
    if (awaited.has(type)) this.#fetching.add(requestId)
    if (type !== 'Document' || frameId !== this.#frameId) return
    if (redirectResponse) this.#leave(redirectResponse.url, redirectResponse.status)
    // A script or a refresh has led to another document.
    else if (this.document) this.#leave(this.document.url, this.document.status)
    this.document = {
      requestId,
      url,
      status: 0,
      headers: {},
      mimeType: '',
      security: undefined,
      body: undefined,
    }
  }

  answer({ requestId, response }: Answered): void {
    this.movedAt = performance.now()
    if (!this.document || requestId !== this.document.requestId) return
    const { status, headers, mimeType, securityDetails } = response
    Object.assign(this.document, {
      status,
      headers: lowerCased(headers),
      mimeType,
      security: securityDetails && {
        protocol: securityDetails.protocol,
        cipher: securityDetails.cipher,
      },
    })
  }

  end({ requestId, errorText }: { requestId: string; errorText?: string }): void {
    this.movedAt = performance.now()
    this.#fetching.delete(requestId)
    const { document } = this
    // Half a page is not a page. An aborted request is reported by the code that aborted it.
    const isBroken = errorText && errorText !== 'net::ERR_ABORTED'
    if (document?.status && requestId === document.requestId && isBroken) this.#stop(broken(document))
  }

  forget(): void {
    this.document = undefined
    this.redirects.length = 0
  }

  #leave(url: string, status: number): void {
    this.redirects.push({ url, status })
    if (this.redirects.length > mostRedirects)
      this.#stop({
        refusal: 'too_many_redirects',
        message: `The URL redirects more than ${mostRedirects} times`,
      })
  }
}

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
