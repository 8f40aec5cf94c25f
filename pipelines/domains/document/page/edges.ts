/** Finds the beginning and the end of an article's text. */
import type { Block } from './blocks.ts'

export const stop = /[.!?…。！？।؟:][)"'”’»\]]*$/
export const invitation =
  /^(?:related|read (?:more|next|also)|more (?:from|stories|news|on|coverage|reading|like)|see (?:more|also)|also read|don['’]t miss|advert(?:isement)?|click here|follow|sign up|subscribe|share|tweet|image (?:copyright|caption|credit|source|\d+ of)|\(?image|photo|credit|source|tags?|comments?|updated|published|posted|by|home|loading|want more|have a tip|get the latest|listen to|watch)\b/i

/** A Chinese or Japanese character counts as three others. */
export const weightOf = (text: string): number =>
  text.length + 2 * (text.match(/[\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0)

/** The text begins and ends with sentences. Around them are bylines, dates, shares and offers. */
export function trimmed(blocks: readonly Block[], around: ReadonlySet<string>): Block[] {
  const first = blocks.findIndex(isLongText)
  const last = blocks.findLastIndex(block => isText(block) && !around.has(block.text))
  if (first < 0) return [...blocks]
  const heading = blocks.slice(0, first).findLastIndex(({ kind, level }) => kind === 'heading' && level > 1)
  const lead = heading >= 0 && first - heading <= 3 ? blocks.slice(heading, first) : []
  return [...lead, ...blocks.slice(first, endOf(blocks, last, around) + 1)]
}

/** The lines after the last sentence belong to the text if they are among its paragraphs: a greeting, a name. */
function endOf(blocks: readonly Block[], last: number, around: ReadonlySet<string>): number {
  const among = blocks[last]?.of.parentElement
  const follows = ({ kind, text, linked, of }: Block): boolean =>
    kind === 'text' &&
    of.tagName.toUpperCase() === 'P' &&
    of.parentElement === among &&
    linked < text.length * 0.3 &&
    !around.has(text) &&
    !invitation.test(text) &&
    !notice.test(text) &&
    !/^(?:by\b|@)/i.test(text)
  let end = last
  while (end - last < mostAfter && blocks[end + 1] && follows(blocks[end + 1] as Block)) end += 1
  return end
}
const mostAfter = 3

function isLongText({ kind, text }: Block): boolean {
  const weight = weightOf(text)
  return (
    kind === 'code' || kind === 'row' || kind === 'item' || (weight >= 45 && stop.test(text)) || weight >= 120
  )
}

/** An ending may be short, but it is a sentence or a quotation. */
function isText(block: Block): boolean {
  if (isLongText(block) || block.kind === 'quote') return true
  const { kind, text, linked } = block
  if (kind !== 'text' || notice.test(text)) return false
  return sentence.test(text) ? linked < text.length * 0.7 : inside.test(text) && linked < text.length * 0.3
}

const sentence = /^\P{Ll}.{5,}[.!?…。！？।؟]["'”’»)\]]*(?:\s?[^\p{L}\p{N}\s]{1,4}){0,3}$/su
/** A sentence ends in it, and the name of its writer may follow. */
const inside = /^\P{Ll}.{20,}\p{Ll}[.!?…]['"”’)]*\s+\P{Ll}/su
const notice =
  /\ball rights reserved|\b(?:loading|please (?:wait|try|log|sign|enter|check)|thank(?:s| you) for|cookies?|javascript|your (?:browser|email|inbox|password)|log in|sign in|you (?:may|might)(?: also)? (?:like|enjoy)|share (?:it|this)|updated (?:at|on)|privacy|terms of|no comments|not found|try again|©|copyright)\b/i
