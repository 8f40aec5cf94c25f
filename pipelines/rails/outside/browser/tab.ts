/** Opens a page of its own in the browser, and notices a browser that no longer answers. */
import type { Cdp } from './cdp.ts'
import { type Chromium, viewport } from './chromium.ts'
import type { Gate } from './gate.ts'

/** Opening and closing a page are the work of the browser itself, which no page holds up. */
const silenceMs = 10_000

export interface Tab {
  browserContextId: string
  targetId: string
  sessionId: string
}

/** Each page has a context of its own: it shares no cookie, no cache and no way out with another. */
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

/** A browser that no longer answers is ended, and with it the pages that it shows. */
export async function answering<T>({ kill }: Chromium, asked: Promise<T>): Promise<T> {
  const timer = setTimeout(kill, silenceMs)
  return asked.finally(() => clearTimeout(timer))
}
