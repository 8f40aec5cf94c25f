/** Opens a separate page in the browser, and notices a browser that no longer answers. */
import type { Cdp } from './cdp.ts'
import { type Chromium, viewport } from './chromium.ts'
import type { Gate } from './gate.ts'

/** The browser itself opens and closes pages, so no page can delay it. */
const silenceMs = 10_000

export interface Tab {
  browserContextId: string
  targetId: string
  sessionId: string
}

/** Each page has a context of its own: it shares no cookie, no cache and no proxy with another. */
export async function openTab(cdp: Cdp, gate: Gate, tab: Partial<Tab>): Promise<void> {
  const { browserContextId } = await cdp.send('Target.createBrowserContext', {
    proxyServer: `http://127.0.0.1:${gate.port}`,
    proxyBypassList: '<-loopback>',
  })
  tab.browserContextId = browserContextId
  await cdp.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
  const { targetId } = await cdp.send('Target.createTarget', {
    url: 'about:blank',
    ...viewport,
    browserContextId,
  })
  const { sessionId } = await cdp.send('Target.attachToTarget', { targetId, flatten: true })
  Object.assign(tab, { targetId, sessionId })
}

/** A browser that no longer answers is ended, together with its pages. */
export async function answering<T>({ kill }: Chromium, asked: Promise<T>): Promise<T> {
  const timer = setTimeout(kill, silenceMs)
  return asked.finally(() => clearTimeout(timer))
}
