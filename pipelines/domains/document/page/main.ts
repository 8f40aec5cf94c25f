/** The main content of a page, without its surroundings. */
import { withoutUnseenSigns } from '../../../rails/formats/unseen-signs.ts'
import { type Access, accessOf, declaredIn } from './access.ts'
import { articleBlocks } from './article.ts'
import { type Block, blocksOf } from './blocks.ts'
import { withoutConsent } from './boilerplate.ts'
import { parseDocument } from './document.ts'
import type { DomDocument } from './dom.ts'
import { kindOf, type PageKind } from './kind.ts'
import { writeNotation } from './notation.ts'
import { questionsAfter, questionsOf, writeQuestions } from './questions.ts'
import { sizesOf } from './sizes.ts'
import { surroundedBlocks } from './surrounded.ts'
import { langOf, titleOf } from './title.ts'
import { withoutUnseen } from './unseen.ts'

export interface Main {
  title: string
  /** The `lang` of the document. */
  lang: string | null
  kind: PageKind
  /** Whether the page declares that its text is sold, and shows it. */
  access: Access
  /** The number of letters that are left out because nobody sees them. */
  hidden: number
  text: string
  markdown: string
  /** `article`: by the rules for one text. `page`: by leaving out the surroundings of the content. */
  by: 'article' | 'page'
}

export function mainOf(html: string, url?: string): Main {
  return mainFrom(candidatesOf(html, url))
}

/** Of a page that has nothing but its content, as a feed. */
export function wholeOf(html: string, url?: string): Main {
  return mainFrom(candidatesOf(html, url, true))
}

function mainFrom(read: Candidates): Main {
  const by = choice(read)
  const shown = by === 'article' ? withQuestions(read) : read[by].length ? read[by] : read.visible
  const seen = withoutUnseenSigns(joined(shown, each => each.text))
  const { text } = seen
  return {
    title: withoutUnseenSigns(read.title).text,
    lang: read.lang,
    kind: read.kind,
    access: accessOf(read.declared, text),
    hidden: read.hidden + seen.count,
    by,
    text,
    markdown: withoutUnseenSigns(joined(withRules(shown), ({ markdown }) => markdown)).text,
  }
}

function candidatesOf(html: string, of?: string, isWhole = false) {
  const document = withoutScripts(html)
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  const url = (base.length <= longestUrl && URL.parse(base, of)?.href) || of
  withoutConsent(document)
  const hidden = withoutUnseen(document, html)
  writeNotation(document, html)
  writeQuestions(document)
  const kind = kindOf(document, url)
  const declared = declaredIn(document)
  const title = titleOf(document)
  const lang = langOf(document)
  const page = isWhole ? [] : surroundedBlocks(document, { url, kind })
  const questions = questionsOf(page)
  const visible = page.length ? [] : blocksOf(document.body, { url })
  // This takes the document apart, so it comes last.
  const article = isWhole ? [] : articleBlocks(document, url, kind)
  return { kind, declared, hidden, title, lang, page, questions, article, visible }
}

/** A page that needs scripts may have a text for readers without them. */
function withoutScripts(html: string): DomDocument {
  const document = parseDocument(html)
  const { chars = 0 } = sizesOf(document.body).get(document.body) ?? {}
  if (chars > thin) return document
  const plain = parseDocument(html.replace(/<\/?noscript(?:\s[^>]*)?>/gi, ' '))
  const { chars: more = 0 } = sizesOf(plain.body).get(plain.body) ?? {}
  return more > chars * 2 + thin ? plain : document
}

const thin = 600
const longestUrl = 2_048

type Candidates = ReturnType<typeof candidatesOf>

/**
 * Readability's result is only a part of the page, such as one card of many, if it has less than this share of the
 * text, or if the page has this much more prose for each letter of the result. A page that calls itself an article
 * may have twice as much prose around it, which belongs to other articles.
 */
const bounds = { article: { share: 0.15, beside: 2 }, others: { share: 0.35, beside: 0.6 } }
/** A block between the paragraphs of an article is not another article. */
const mostBetween = 1
/** Each block is searched for in the whole article, so only this much is judged. */
const [mostJudged, mostKnown] = [2_000, 400_000]

function choice({ kind, article, page }: Candidates): Main['by'] {
  const { share, beside } = kind === 'article' ? bounds.article : bounds.others
  const found = lengthOf(article)
  if (found === 0 || found < lengthOf(page) * share) return 'page'
  const known = words(article.map(({ text }) => text).join(' ')).slice(0, mostKnown)
  // The beginning of a block identifies it: the same text may be longer or shorter elsewhere on the page.
  const isMissed = ({ text }: Block) => !known.includes(words(text).slice(0, 100))
  const isFound = (block: Block) => isProse(block.text) && !isMissed(block)
  const judged = page.slice(0, mostJudged)
  const between = judged.slice(judged.findIndex(isFound), judged.findLastIndex(isFound) + 1).filter(isMissed)
  const missed = judged.filter(block => isProse(block.text) && isMissed(block))
  const own = lengthOf(article.filter(({ text }) => isProse(text)))
  return lengthOf(missed) <= own * beside && lengthOf(between) <= own * mostBetween ? 'article' : 'page'
}

/** Readability takes the one text of a page for all of it. The questions that it ends with often stand in a section of their own. */
function withQuestions({ article, page, questions, kind }: Candidates): Block[] {
  if (kind === 'forum') return article
  const known = words(article.map(({ text }) => text).join(' ')).slice(0, mostKnown)
  const isMissed = ({ text }: Block) => !known.includes(words(text).slice(0, 100))
  const judged = page.slice(0, mostJudged)
  const end = judged.findLastIndex(block => isProse(block.text) && !isMissed(block))
  return [...article, ...questionsAfter(judged.slice(end + 1), questions)]
}

const isProse = (text: string): boolean => text.length >= 70 && /[.!?…。！？:]["'”’)\]]*$/.test(text)
const words = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ')

const lengthOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { text }) => sum + text.length, 0)

/** Items and rows of one list are on consecutive lines. */
function joined(blocks: readonly Block[], of: (block: Block) => string): string {
  let text = ''
  let before: Block | undefined
  for (const block of blocks) {
    const said = of(block)
    // A picture is not text.
    if (!said) continue
    const together = before?.kind === block.kind && (block.kind === 'item' || block.kind === 'row')
    text += `${before === undefined ? '' : together ? '\n' : '\n\n'}${said}`
    before = block
  }
  return text
}

/** In markdown, a line under the first row makes a table. */
const withRules = (blocks: readonly Block[]): Block[] =>
  blocks.map((block, i) => {
    if (block.kind !== 'row' || blocks[i - 1]?.kind === 'row') return block
    const rule = block.text.split('\t').map(() => '---')
    return { ...block, markdown: `${block.markdown}\n| ${rule.join(' | ')} |` }
  })
