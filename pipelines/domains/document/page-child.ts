/** The process that reads pages and makes summaries. */

import { answerQuestions } from '../../rails/children/child-answers.ts'
import { withoutUnseenSigns } from '../../rails/formats/unseen-signs.ts'
import { feedAsPage } from '../../rails/outside/pages/feed.ts'
import { type Looked, lookAt } from '../../rails/outside/pages/look.ts'
import { unseenLetters, withoutMarks } from '../../rails/outside/pages/marked.ts'
import { type Visible, visibleOf } from '../../rails/outside/pages/visible.ts'
import { type Access, mayDeclare } from './page/access.ts'
import { composed, framesIn } from './page/composed.ts'
import { type Main, mainOf, wholeOf } from './page/main.ts'
import { linksIn } from './site/links.ts'
import { type Listed, listedIn } from './site/sitemap.ts'
import { type DocumentSource, sourceText } from './source.ts'
import { extractiveSummary } from './summary/extractive.ts'
import { wordCount } from './summary/words.ts'

/** What is not in the text of a page, and why. */
export interface TextFacts {
  access: Access
  /** The addresses of its frames. */
  frames: string[]
  /** The number of letters that nobody sees. */
  hidden: number
}

interface OfPage {
  source: DocumentSource
  url?: string | undefined
}

/** The questions to the child, and their answers. */
export interface PageTasks {
  look: { question: { source: DocumentSource; isMarkup: boolean }; answer: Looked }
  visible: {
    question: OfPage & {
      /** The document, where `source` is only what a browser showed of it. */
      whole?: DocumentSource
      isMarkup: boolean
      mostChars: number
    }
    answer: Visible & TextFacts
  }
  main: { question: OfPage & { mostChars: number }; answer: Main & TextFacts }
  links: { question: { source: DocumentSource; url: string }; answer: readonly string[] }
  sitemap: { question: { source: DocumentSource; url: string }; answer: Listed }
  words: { question: { text: string }; answer: number }
  summary: {
    question: { text: string; mostWords: number }
    answer: { summary: string; words: number } | 'none'
  }
}

type Answers = {
  [Kind in keyof PageTasks]: (question: PageTasks[Kind]['question']) => PageTasks[Kind]['answer']
}

const answers: Answers = {
  look: ({ source, isMarkup }) => {
    const text = sourceText(source)
    return lookAt(isMarkup ? composed(text) : text, isMarkup)
  },
  visible({ source, whole, url, isMarkup, mostChars }) {
    const text = sourceText(source)
    const html = whole ? sourceText(whole) : isMarkup ? text : ''
    const access = mayDeclare(html) ? mainOf(html).access : 'free'
    // Only a text from the browser has marks.
    const shown = whole ? withoutMarks(text) : text
    const read = isMarkup
      ? visibleOf(composed(feedAsPage(text)), mostChars)
      : { title: '', lang: null, text: shown.trim().slice(0, mostChars), hidden: 0 }
    const seen = withoutUnseenSigns(read.text)
    const hidden = read.hidden + seen.count + (whole ? unseenLetters(html) : 0)
    const title = withoutUnseenSigns(read.title).text
    return { ...read, title, text: seen.text, hidden, access, frames: framesIn(html, url) }
  },
  main({ source, url, mostChars }) {
    const html = sourceText(source)
    const page = feedAsPage(html)
    const main = (page === html ? mainOf : wholeOf)(composed(page), url)
    const [text, markdown] = [main.text.slice(0, mostChars), main.markdown.slice(0, mostChars)]
    return { ...main, text, markdown, frames: framesIn(html, url) }
  },
  links: ({ source, url }) => linksIn(sourceText(source), url),
  sitemap: ({ source, url }) => listedIn(source, url),
  words: ({ text }) => wordCount(text),
  summary({ text, mostWords }) {
    const summary = extractiveSummary(text, mostWords)
    return summary === undefined ? 'none' : { summary, words: wordCount(summary) }
  },
}

export type PageTask = {
  [Kind in keyof PageTasks]: { kind: Kind; question: PageTasks[Kind]['question'] }
}[keyof PageTasks]

answerQuestions(({ kind, question }: PageTask) => answers[kind](question as never))
