/** What we run inside a page: in a world of our own, which the scripts of the page cannot reach. */
import type { Session } from './cdp.ts'

const worldName = 'farebox'

/** Counts the changes of the document. It does not count attributes: an animation changes them for ever. */
const counting = `(() => {
  if (globalThis.moves !== undefined) return
  globalThis.moves = 0
  new MutationObserver(changes => { moves += changes.length })
    .observe(document, { subtree: true, childList: true, characterData: true })
})()`

const mostTextLength = 1_000_000
const mostHtmlLength = 8 << 20

const reading = `({
  title: String(document.title ?? '').slice(0, 2000),
  lang: document.documentElement?.getAttribute('lang')?.slice(0, 100) || null,
  text: String((document.body ?? document.documentElement)?.innerText ?? '').slice(0, ${mostTextLength}),
  html: (document.documentElement?.outerHTML ?? '').slice(0, ${mostHtmlLength}),
})`

interface Read {
  title: string
  lang: string | null
  text: string
  html: string
}

export interface InPage {
  /** How often the document has changed. It rejects where the page does not let it be asked. */
  moves(): Promise<number>
  read(): Promise<Read>
}

export async function openInPage(session: Session, frameId: string): Promise<InPage> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: counting, worldName })

  async function run(expression: string) {
    // Each document has a world of its own, so it is looked up anew.
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId,
      worldName,
    })
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      contextId,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.text)
    return result.value
  }

  return {
    moves: () => run(`${counting}; moves`),
    read: () => run(reading),
  }
}
