/** Questions with their answers, as pages end with them: often a click opens each answer. */
import type { Block } from './blocks.ts'
import type { DomDocument, DomElement, DomNode } from './dom.ts'
import { blockTags } from './element-kinds.ts'

/** A page for readers has fewer of these. */
const mostLooked = 500
/** A question alone is an offer of help. */
const fewest = 2
const [leastQuestion, mostQuestion, leastAnswer] = [15, 250, 40]

const isQuestion = (text: string): boolean =>
  text.length >= leastQuestion && text.length <= mostQuestion && /[?？]$/.test(text)
const isAnswer = (text: string): boolean =>
  text.length >= leastAnswer && /[.!…。！:][\s"'”’»)\]]/.test(`${text} `)

/** A button is no content, but one that asks what the text behind it answers is the heading of that text. */
export function writeQuestions(document: DomDocument): void {
  const found = [...document.querySelectorAll('button, label')].slice(0, mostLooked)
  const answered = found.filter(each => isQuestion(textOf(each)) && isAnswer(textBehind(each)))
  if (answered.length < fewest) return
  for (const each of answered) {
    const heading = document.createElement(nameFor(each))
    for (let node = each.firstChild; node; node = each.firstChild) heading.append(node)
    each.replaceWith(heading)
  }
}

/** No more of a text is read than tells a question from an answer: nested elements would each be read to their end. */
const mostRead = 2 * mostQuestion
const mostNodes = 200

/** The beginning of the text of an element. */
function textOf(element: DomElement): string {
  let text = ''
  const open: DomNode[] = [element]
  for (let looked = 0; open.length && looked < mostNodes && text.length < mostRead; looked += 1) {
    const node = open.pop() as DomNode
    if (node !== element && node.nextSibling) open.push(node.nextSibling)
    if (node.nodeType === 3) text += (node.nodeValue ?? '').slice(0, mostRead).replace(/\s+/g, ' ')
    else if (node.firstChild) open.push(node.firstChild)
  }
  return text.trim()
}

function nameFor(button: DomElement): string {
  for (const part of button.querySelectorAll('*')) if (blockTags.has(part.tagName.toUpperCase())) return 'div'
  for (
    let above = button.parentElement, steps = 0;
    above && steps < 3;
    above = above.parentElement, steps += 1
  )
    if (/^H[1-6]$/i.test(above.tagName)) return 'span'
  return 'h3'
}

const mostBeside = 20
/** Behind the element, or behind what holds nothing else. */
function textBehind(element: DomElement): string {
  let at: DomElement | null = element
  for (let steps = 0; at && steps < 5; steps += 1) {
    let next = at.nextElementSibling
    for (let looked = 0; next && looked < mostBeside; looked += 1, next = next.nextElementSibling) {
      const text = textOf(next)
      if (text) return text
    }
    at = at.parentElement
  }
  return ''
}

const named = /accordion|faq|question|toggle|collaps/i

function asks({ kind, text, linked, of }: Block): boolean {
  if (!isQuestion(text) || linked > text.length / 2) return false
  if (kind === 'heading' || /^(?:SUMMARY|DT)$/i.test(of.tagName)) return true
  let at: DomElement | null = of
  for (let steps = 0; at && steps < 4; at = at.parentElement, steps += 1)
    if (named.test((at.getAttribute('class') ?? '').slice(0, 600))) return true
  return false
}

/** The blocks that ask something. It looks at what holds them, so it comes before the document is taken apart. */
export const questionsOf = (blocks: readonly Block[]): ReadonlySet<Block> => new Set(blocks.filter(asks))

const answers = ({ kind, text, linked }: Block): boolean =>
  kind !== 'heading' && linked < text.length * 0.7 && (kind === 'item' || kind === 'row' || isAnswer(text))

/** Other things stand between a text and the questions of the whole site. */
const mostBetween = 3

/** The questions with answers that follow a text, with their heading, if there are two. */
export function questionsAfter(blocks: readonly Block[], questions: ReadonlySet<Block>): Block[] {
  const is = (block: Block | undefined, what: (block: Block) => boolean) => block !== undefined && what(block)
  const isAsked = (block: Block) => questions.has(block)
  const isAnswered = (block: Block) => !isAsked(block) && answers(block)
  const begins = (block: Block) => isAnswered(block) && isAnswer(block.text)
  const from = blocks.findIndex(isAsked)
  if (from < 0 || from > mostBetween) return []
  let [at, asked] = [from, 0]
  while (is(blocks[at], isAsked) && is(blocks[at + 1], begins)) {
    asked += 1
    at += 2
    while (is(blocks[at], isAnswered)) at += 1
  }
  return asked < fewest ? [] : blocks.slice(blocks[from - 1]?.kind === 'heading' ? from - 1 : from, at)
}
