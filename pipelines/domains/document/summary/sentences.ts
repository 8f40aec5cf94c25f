/** The sentences of a text that are suitable for a summary. */

export interface Sentence {
  text: string
  /** Its place among all sentences of the text. */
  place: number
  /** The number of its paragraph. */
  paragraph: number
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** A stop after one of these does not end a sentence. */
const abbreviation =
  /(?:^|[\s("“])(?:Mr|Mrs|Messrs|Ms|Drs?|Profs?|Gens?|Sens?|Reps?|Govs?|Lt|Col|Maj|Adm|Cmdr|Cpl|Pvt|Sgt|Det|Supt|Insp|Capt|Rev|Hon|St|ST|Mt|Ft|Jr|Sr|Inc|Bros|Dept|Univ|Corp|Co|Ltd|No|Nos|vs|approx|Fig|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|[A-Z]|[A-Z]\.[A-Z]|[a-z]\.[a-z]|U\.S|U\.K|Nr|Str|bzw|ca|z\.B|M|Mme|Sra?)\.\s{0,9}$/
const stop = /[.!?…。！？।؟።]["”’»)\]』」]*$/
const notices =
  /\b(?:all rights reserved|cookies?|privacy policy|terms of (?:use|service)|subscribe|sign up|newsletter|click here|read more|follow us|share this|log in|advertisement|copyright|©|enable javascript|your browser|you (?:agree|consent) to|subject to change|be construed|past performance)\b/i
/** Offers to those who read, and no part of the text. */
const offers =
  /^(?:read|see|watch|listen to|check out) (?:our|the|more|also|all)\b.{0,60}\b(?:here|below|now|review|guide)\b|^(?:originally|first) published\b|\bcontributed to this (?:report|story|article)\b|^(?:this|a version of this) (?:article|story|post|piece) (?:was|has been|first|originally)\b|^(?:get|have|try|join|order|download)\b.{0,80}\b(?:delivered|letterbox|inbox|free trial|app)\b|^follow\b.{0,80}\b(?:twitter|facebook|instagram|youtube|linkedin|telegram)\b|^[[(]?(?:editor['’]s )?note\s?:|\b\d{1,3} issues? for [£$€]|^for (?:the latest|more)\b.{0,80}\b(?:download|visit|see|news|updates|information)\b|\badvertise with\b|\bwritten permission\b/i
/** To one who reads on. */
const leads =
  /\bthe right place\b|look no further|[ÃÂâ][\u0080-\u00BF]|^(?:allow me|let me|press (?:space ?bar|play|enter|the)\b|bear with me|please (?:note|see|find|read|refer|visit|contact|feel free)|stay tuned|read on|keep reading|see (?:also )?(?:below|above|figure|table)|more on (?:this|that))\b/i
/** The name of a journal, of a firm or of a work: each of its words has a capital, or joins them. */
const title =
  /^(?:(?:\p{Lu}[\p{L}\p{N}’'&-]{0,30}|of|the|and|for|in|on|de|la|&)[\s,]{1,2}){1,8}\p{Lu}[\p{L}\p{N}’'&-]{0,30}\.$/u
/** Of what is no space. What has less is drawn with signs. */
const leastLetters = 0.5
/** Who says what stands before it, where that ends with a sign of its own. */
const asks = /[!?]["”’»]\s*$/
const speaks =
  /^(?:\p{Lu}[\p{L}.’'-]{0,30}\s){1,4}(?:said|says|asked|asks|wrote|writes|tweeted|told|added|cried|shouted|replied|recalled|declared)\b/u
const unstopped = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const [shortest, shortestLine, longest] = [25, 45, 600]
const wide = /[\u0250-\u200F\u2E80-\uFFFF]/

export function sentencesOf(text: string): Sentence[] {
  const all: Sentence[] = []
  for (const { text: piece, paragraph } of piecesOf(text))
    if (piece.trim()) all.push({ text: bare(piece.trim()), place: all.length, paragraph })
  const lengths = new Map<number, number>()
  for (const { paragraph } of all) lengths.set(paragraph, (lengths.get(paragraph) ?? 0) + 1)
  // A short line of its own is a heading, whatever its last sign.
  const isLine = ({ text: each, paragraph }: Sentence): boolean =>
    each.length < shortestLine && lengths.get(paragraph) === 1 && !wide.test(each)
  const whole = all.filter(each => stop.test(tailOf(each.text)) && isSentence(each.text) && !isLine(each))
  // Some scripts have no stops. Then lines count as sentences.
  return whole.length || !unstopped.test(text)
    ? whole
    : all.filter(({ text: each }) => each.length >= shortest)
}

/** What sets a sentence off from its place of writing, or from others of a list: a dash, also one that a page has written wrong. */
const bare = (text: string): string => text.replace(/^(?:(?:&#\d{2,5};|[-–—•·*]{1,2})\s+){1,3}/, '')

const isSentence = (text: string): boolean => {
  // The cells of a row are no sentence.
  if (text.includes('\t') || notices.test(text) || offers.test(text)) return false
  if (leads.test(text) || title.test(text) || isDrawn(text) || isHeadline(text)) return false
  if (/^\p{Ll}(?!\p{Lu})|^[/\\<>=|#%&~+]/u.test(text)) return false
  return text.length >= (wide.test(text) ? shortest / 3 : shortest) && text.length <= longest
}

/** Its longer words have capitals. */
function isHeadline(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu) ?? []
  const long = words.filter(word => word.length > 3)
  return (
    long.length > 3 &&
    long.length < 16 &&
    long.filter(word => /^[\p{Lu}\p{N}]/u.test(word)).length > long.length * mostCapitals
  )
}
const mostCapitals = 0.8

const countOf = (text: string, what: RegExp): number => text.match(what)?.length ?? 0
const isDrawn = (text: string): boolean =>
  countOf(text, /[\p{L}\p{N}]/gu) < leastLetters * countOf(text, /\S/gu)

/** One segmenter reads the whole text, because one for each line takes more time than the lines. It stops at each line end. */
function* piecesOf(text: string): Generator<Omit<Sentence, 'place'>> {
  let [paragraph, start, tail] = [0, 0, '']
  for (const { segment, index } of segmenter.segment(text)) {
    const continues =
      abbreviation.test(tail) ||
      /\s\.$/.test(tail) ||
      /^\s{0,9}[a-z]/.test(segment) ||
      (asks.test(tail) && speaks.test(segment))
    if (tail.endsWith('\n') || !continues) {
      yield { text: text.slice(start, index), paragraph }
      start = index
    }
    if (tail.endsWith('\n')) paragraph += 1
    tail = tailOf((index === start ? '' : tail) + tailOf(segment))
  }
  yield { text: text.slice(start), paragraph }
}

/** The end is enough for the patterns above. A piece of many segments is not searched again with each of them. */
const tailOf = (piece: string): string => piece.slice(-40)
