/** The code that we run inside a page: in a world of our own, which the scripts of the page cannot reach. */
import type { Session } from './cdp.ts'
import { composing } from './composing.ts'

const worldName = 'farebox'

/** Counts the changes of the document. Attributes do not count, because an animation changes them for ever. */
const counting = `(() => {
  if (globalThis.moves !== undefined) return
  globalThis.moves = 0
  new MutationObserver(changes => { moves += changes.length })
    .observe(document, { subtree: true, childList: true, characterData: true })
})()`

const mostTextLength = 1_000_000
/** With the markup of its formulas. */
const mostMarkedLength = 3_000_000
const mostHtmlLength = 8 << 20

/** A message is read at once, and a stranger's text may take six times its length in JSON. */
const pieceLength = 256 << 10

/** Keeps the current content, so that it can be sent in pieces. No piece splits a pair of surrogates. */
const reading = `(() => {
  const cut = text => {
    const pieces = []
    for (let at = 0; at < text.length; at += pieces.at(-1).length) {
      const end = at + ${pieceLength}
      pieces.push(text.slice(at, (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end - 1 : end))
    }
    return pieces
  }
  ${composing}
  const of = document.documentElement
  const textNow = most => String((document.body ?? of)?.innerText ?? '').slice(0, most)
  const text = textNow(${mostTextLength})
  const trees = rootsOf()
  unmark(trees.roots)
  const found = seeing(trees.roots)
  markFound(found)
  const html = htmlOf(trees).slice(0, ${mostHtmlLength})
  const hasMarks = compose(trees, found)
  globalThis.pieces = { text: cut(text), html: cut(html), marked: cut(hasMarks ? textNow(${mostMarkedLength}) : '') }
  return {
    title: String(document.title ?? '').slice(0, 2000),
    lang: of?.getAttribute('lang')?.slice(0, 100) || null,
    text: pieces.text.length,
    html: pieces.html.length,
    marked: pieces.marked.length,
  }
})()`

interface Read {
  title: string
  lang: string | null
  text: string
  /** The text with marks around what is raised or lowered. Empty if nothing is. */
  marked: string
  html: string
}

export interface InPage {
  /** The number of changes of the document. Rejects if the page blocks the question. */
  moves(): Promise<number>
  read(): Promise<Read>
  /** Runs code of ours. */
  run(expression: string): Promise<unknown>
}

export async function openInPage(session: Session, frameId: string): Promise<InPage> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: counting, worldName })

  async function run(expression: string) {
    // Each document has its own world, so it is looked up again.
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

  async function pieces(of: 'text' | 'html' | 'marked', count: number): Promise<string> {
    let all = ''
    for (let i = 0; i < count; i++) all += await run(`pieces.${of}[${i}]`)
    return all
  }

  return {
    run,
    moves: () => run(`${counting}; moves`),
    async read() {
      const { title, lang, text, html, marked } = await run(reading)
      return {
        title,
        lang,
        text: await pieces('text', text),
        html: await pieces('html', html),
        marked: await pieces('marked', marked),
      }
    },
  }
}
