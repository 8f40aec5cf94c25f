/** Shows one page in the browser: opens it, waits until it is stable, and reads it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hostOf, portOf } from '../fetching/address.ts'
import type { PublicWeb } from '../fetching/visit.ts'
import type { NoPage, Page, PageAsked, Rendered, Tls } from '../pages/page.ts'
import type { Session } from './cdp.ts'
import type { Chromium } from './chromium.ts'
import { type Document, typeOf } from './document.ts'
import { type Gate, openGate } from './gate.ts'
import { type InPage, openInPage } from './in-page.ts'
import { isThere, pictureOf } from './picture.ts'
import { phoneAgent, usualShot } from './shot.ts'
import { answering, openTab, type Tab } from './tab.ts'
import { type Watch, watch } from './watch.ts'
import { early, refusedBy, whyNot } from './why-not.ts'

type Asked = Pick<
  PageAsked,
  'url' | 'anyStatus' | 'picture' | 'mostPictureBytes' | 'waitMs' | 'certificates' | 'shot'
> & {
  /** From the opening of the page to its last byte. */
  totalMs: number
}

/** A page that was rendered just now. */
export type Fresh = Omit<Page, 'cached' | 'ageMs'>

const quietMs = 300
const mostSettleMs = 5_000
const pollMs = 50
/** The share of the time for loading. The rest is for reading. */
const loadShare = 0.6
/** The time in which a page must show the element that the caller asked for. */
const elementMs = 8_000

/** Rejects if the browser ends during the work. */
export async function render(chromium: Chromium, asked: Asked, web: PublicWeb): Promise<Fresh | NoPage> {
  const { cdp, product, userAgent } = chromium
  const requestedAt = Date.now()
  const gate = await openGate(web)
  const tab: Partial<Tab> = {}
  const late = lateAfter(asked.totalMs, asked.url)
  try {
    await answering(chromium, openTab(cdp, gate, tab))
    const { sessionId = '', targetId = '' } = tab
    const session = cdp.session(sessionId)
    return await Promise.race([
      show(session, targetId, { asked, gate, userAgent, product, requestedAt }),
      late.promise,
    ])
  } finally {
    late.cancel()
    cdp.forget(tab.sessionId ?? '')
    await gate.close()
    const { browserContextId } = tab
    if (browserContextId !== undefined)
      await answering(chromium, cdp.send('Target.disposeBrowserContext', { browserContextId })).catch(
        () => {},
      )
  }
}

interface Showing {
  asked: Asked
  gate: Gate
  userAgent: string
  product: string
  requestedAt: number
}

async function show(session: Session, frameId: string, showing: Showing): Promise<Fresh | NoPage> {
  const { asked, gate, userAgent, product, requestedAt } = showing
  const watched = watch(session, frameId)
  const inPage = await prepare(session, frameId, asked.shot?.phone ? phoneAgent(userAgent) : userAgent, asked)
  const loadMs = asked.totalMs * loadShare
  const loaded = new Promise<void>(resolve => session.on('Page.loadEventFired', () => resolve()))
  const open = () =>
    Promise.race([
      session.send('Page.navigate', { url: asked.url }),
      watched.stopped,
      sleep(loadMs, undefined, { ref: false }),
    ])
  let begun = await open()
  // The TLS facts are lost with a body that we pass on ourselves, so a question about them does without the page.
  if (begun?.errorText === 'net::ERR_CONTENT_DECODING_FAILED' && !asked.certificates) {
    watched.again()
    begun = await open()
  }
  if (begun?.refusal) return begun
  if (begun?.errorText) return whyNot(begun.errorText, watched, gate, asked.url)
  const stopped = await Promise.race([
    loaded.then(() => early(watched, asked, gate) ?? settled(inPage, watched)),
    watched.stopped,
    sleep(loadMs, undefined, { ref: false }),
  ])
  if (stopped) return stopped
  const { document } = watched
  if (!document?.body) return whyNot('net::ERR_TIMED_OUT', watched, gate, asked.url)
  const refused = refusedBy(document, asked, gate)
  if (refused) return refused
  const isReady = await ready(inPage, watched, asked)
  if (asked.waitMs) await sleep(asked.waitMs, undefined, { ref: false })
  return read(session, inPage, { ...showing, document, watched, product, requestedAt, isReady })
}

/** False if the element that the page needs does not come. */
async function ready(inPage: InPage, watched: Watch, { shot }: Asked): Promise<boolean> {
  if (!shot?.waitFor) return true
  const giveUpAt = performance.now() + elementMs
  for (;;) {
    const there = await isThere(inPage, shot.waitFor)
    if (there === 'shown') {
      await settled(inPage, watched)
      return true
    }
    if (there === 'invalid' || performance.now() > giveUpAt) return false
    await sleep(pollMs, undefined, { ref: false })
  }
}

async function prepare(
  session: Session,
  frameId: string,
  userAgent: string,
  { shot = usualShot }: Asked,
): Promise<InPage> {
  const { width, height, scale, phone, dark } = shot

  session.on('Page.javascriptDialogOpening', () => {
    session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {})
  })
  await Promise.all([
    session.send('Page.enable'),
    session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }),
    session.send('Fetch.enable', {
      patterns: ['Request', 'Response'].map(requestStage => ({ resourceType: 'Document', requestStage })),
    }),
    session.send('Emulation.setDeviceMetricsOverride', {
      ...{ width, height, deviceScaleFactor: scale, mobile: phone },
    }),
    ...(phone ? [session.send('Emulation.setTouchEmulationEnabled', { enabled: true })] : []),
    ...(dark
      ? [
          session.send('Emulation.setEmulatedMedia', {
            features: [{ name: 'prefers-color-scheme', value: 'dark' }],
          }),
        ]
      : []),
    session.send('Emulation.setUserAgentOverride', { userAgent }),
  ])
  return openInPage(session, frameId)
}

/** "Loaded" is too early: most pages continue for a moment. */
async function settled(inPage: InPage, watched: Watch): Promise<undefined> {
  const giveUpAt = performance.now() + mostSettleMs
  let moves = -1
  let quietSince = performance.now()
  while (performance.now() < giveUpAt) {
    const counted = await inPage.moves()
    const now = performance.now()
    if (counted !== moves || watched.isFetching) quietSince = now
    moves = counted
    if (now - Math.max(quietSince, watched.movedAt) >= quietMs) return
    await sleep(pollMs, undefined, { ref: false })
  }
}

interface Reading extends Showing {
  document: Document
  watched: Watch
  isReady: boolean
}

async function read(session: Session, inPage: InPage, reading: Reading): Promise<Fresh | NoPage> {
  const { asked, gate, userAgent, product, requestedAt, document, watched } = reading
  const shown = asked.picture ? await pictureOf(session, inPage, asked, reading.isReady) : undefined
  const { title, lang, text, html, marked } = await inPage.read()
  if (gate.isOverdrawn)
    return { refusal: 'page_too_large', message: 'The page fetches more than it may: 20 MB' }
  const url = new URL(document.url)
  const { essence, charset } = typeOf(document)
  const rendered: Rendered = {
    title,
    lang,
    text,
    marked,
    html,
    picture: shown?.picture,
    pictured: shown?.pictured,
    tls: await tlsOf(session, document, asked.certificates ?? false),
    browser: product,
    userAgent,
  }
  return {
    url: asked.url,
    finalUrl: document.url,
    redirects: watched.redirects,
    status: document.status,
    headers: document.headers,
    contentType: essence,
    charset,
    bytes: document.body ?? Buffer.alloc(0),
    rendered,
    address: gate.addressOf(hostOf(url)) ?? '',
    port: portOf(url),
    requestedAt,
    fetchedAt: Date.now(),
  }
}

async function tlsOf(session: Session, document: Document, certificates: boolean): Promise<Tls | null> {
  if (!document.security) return null
  const { origin } = new URL(document.url)
  const { tableNames } = certificates
    ? await session.send('Network.getCertificate', { origin })
    : { tableNames: [] as string[] }
  return {
    ...document.security,
    certificates: tableNames.map((der: string) => Buffer.from(der, 'base64')),
  }
}

function lateAfter(ms: number, url: string): { promise: Promise<NoPage>; cancel(): void } {
  const { promise, resolve } = Promise.withResolvers<NoPage>()
  const message = `${new URL(url).hostname} did not become a page within ${ms} ms`
  const timer = setTimeout(() => resolve({ refusal: 'page_fetch_failed', message }), ms)
  return { promise, cancel: () => clearTimeout(timer) }
}
