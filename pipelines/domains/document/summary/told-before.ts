/** What a sentence takes for known because an earlier one has told of it: "the firm", a name of one word. */
import { headOf, mainClauseOf } from './clause.ts'
import type { Ranked } from './ranking.ts'

/** Whether a sentence can follow those chosen before it. */
export type StandsAfter = (sentence: Ranked, chosen: readonly Ranked[]) => boolean

export function toldBefore(all: readonly Ranked[]): StandsAfter {
  const firstNamed = placesOf(all, ({ words }) => [...words].map(stem))
  const lastNames = placesOf(all, ({ text }) => fullNames(text).map(names => names.at(-1) ?? ''))
  const firstNames = placesOf(all, ({ text }) => fullNames(text).map(names => names[0] ?? ''))
  /** A word that stands in small letters, too, is no name: "the bank" of the World Bank. */
  const small = new Set(all.flatMap(({ text }) => text.match(/(?<![\p{L}])\p{Ll}[\p{L}’'-]*/gu) ?? []))
  const needed = new Map<Ranked, string[]>()
  const neededBy = (sentence: Ranked): string[] => {
    const { text, place } = sentence
    const isEarlier = (places: Map<string, number>, word: string) => (places.get(word) ?? place) < place
    const subject = subjectOf(mainClauseOf(text)).map(stem)
    return [
      ...subject.filter(noun => isEarlier(firstNamed, noun)).slice(0, 1),
      ...(place > 0 ? knownIn(text).map(stem) : []),
      ...bareNames(text)
        .filter(
          ({ name, isSpeaker }) =>
            !small.has(name.toLowerCase()) &&
            (isEarlier(lastNames, name) || (isSpeaker && isEarlier(firstNames, name))),
        )
        .map(({ name }) => stem(name.toLowerCase())),
    ]
  }
  return (sentence, chosen) => {
    const { text, place } = sentence
    const before = chosen.filter(each => each.place < place)
    if ((pointsBack(text) || (place > 0 && isBare(text))) && !before.some(each => each.place === place - 1))
      return false
    const words = needed.get(sentence) ?? neededBy(sentence)
    needed.set(sentence, words)
    return words.every(word => before.some(each => hasStem(each.words, word)))
  }
}

function placesOf(all: readonly Ranked[], wordsOf: (sentence: Ranked) => string[]): Map<string, number> {
  const places = new Map<string, number>()
  for (const sentence of all)
    for (const word of wordsOf(sentence)) if (!places.has(word)) places.set(word, sentence.place)
  return places
}

const stem = (word: string): string => word.replace(/(?:['’]s|(?<=[^s])s)$/, '')
const hasStem = (words: ReadonlySet<string>, word: string): boolean =>
  ['', 's', "'s", '’s'].some(end => words.has(word + end))

/** A subject ends before one of these. */
const afterSubject =
  /^(?:is|are|was|were|be|been|has|have|had|will|would|can|could|may|might|must|should|shall|do|does|did|said|says|say|also|only|not|never|now|then|just|still|already|often|even|of|in|on|at|by|for|from|to|with|without|into|over|under|between|about|against|behind|after|before|around|near|as|than|and|or|but|if|when|while|that|which|who|whose|where|because|went|came|took|made|saw|won|lost|began|left|held|told|gave|got|led|met|ran|sent|set|hit|cut|fell|rose|grew|found|kept|paid|put|sold|stood|became|brought|broke|built|chose|drew|felt|knew|meant|spoke|spent|shows?|comes?|goes|includes?|features?|wants?|needs?|makes?|takes?|gets?|gives?|works?|looks?|seems?|uses?|\p{L}{2,}(?:ed|ly))$/u
const mostSubject = 4
/** "The harbour board of Esker" is told by a name. */
const ofName = /^(?:of|in|at|for|from|between)\s(?:the\s)?\p{Lu}/u
const definite = /^["'“‘(\s]{0,3}[Tt]he\s/u

/** The words of a subject that is told as known: "The new sea wall …". None where it has a name of its own. */
function subjectOf(text: string): string[] {
  if (!definite.test(text)) return []
  const words: string[] = []
  let last = ''
  for (const word of text
    .slice(0, 90)
    .split(/\s+/)
    .slice(1, mostSubject + 2)) {
    const bare = word.replace(/[^\p{L}\p{N}’'-]{1,5}$/u, '')
    // "The ERP vendor" is known, and "The NPMC" is a name.
    if (/^\p{Lu}\P{Lu}|\d/u.test(bare) || (/^\p{Lu}/u.test(bare) && bare !== word)) return []
    if (afterSubject.test(bare) && /^\p{Lu}/u.test(last)) return []
    last = bare
    if (afterSubject.test(bare)) return ofName.test(text.slice(text.indexOf(` ${word} `) + 1)) ? [] : words
    words.push(bare.toLowerCase())
    if (bare !== word || words.length === mostSubject) break
  }
  return words
}

/** "Whoever takes the exam" has been told of it, wherever. What is added to it may tell which: "the exam of May". */
const known = /(?<![\p{L}])(?:[Tt]he|[Bb]oth) (\p{Ll}[\p{L}’'-]{2,30})/gu
const alone =
  /^(?:[,.;:)”"]|\s(?:is|are|was|were|has|have|had|will|would|can|could|may|might|and|or|but|as|when|while|if|said)(?![\p{L}]))/u
const knownIn = (text: string): string[] =>
  [...text.matchAll(known)].flatMap(({ 0: found, 1: noun = '', index }) =>
    common.test(noun) || !alone.test(text.slice(index + found.length)) ? [] : [noun.toLowerCase()],
  )

/** Words for something that was told of, whatever it was called. */
const anaphors =
  'scene|speech|interview|meeting|hearing|ceremony|conversation|statement|move|decision|announcement|news|incident|accident|ruling|verdict|comments?|remarks?|deal|agreement|company|firm|business|agency|organi[sz]ation|group|team|club|pair|duo|trio|couple|suspects?|victims?|man|woman|boy|girl|teenager|youngster|officers?|actor|actress|singer|star|author|writer|host|film|movie|show|series|episode|album|song|track|game|match|site|website|app|device|gadget|product|project|plan|proposal|bill|measure|case|issues?|problems?|idea|approach|process|event|attack|blast|fire|crash|storm|trial|shooting|tweet|post|video|clip|footage|image|photo|picture|photograph|article|piece|story|survey|study|research|findings|figures|claims?|allegations?|charges?|lawsuit|complaint|letter|book|novel|town|village|school|university|building|house|car|vehicle|plane|aircraft|ship|boat|dog|cat|animal|creature|patient|child|baby|mother|father|victory|defeat|win|loss|result|goal|stock|shares|trick'
/** Its own words tell which one is meant, as in "the company that …". */
const told =
  "(?!['’]s|[-\\p{L}]|\\s(?:of|that|which|who|whose|where|behind|between|about|for|against|in|on|at|from|with|to)\\b|\\s\\p{Lu})"
const back = new RegExp(
  `\\b[Tt]he (?:(?:\\d{1,3}-year-old|same|two|three|four|new|old|young|whole|entire|latest|current|former|then|first|second|final|last|private|public|local) ){0,2}(?:(?:${anaphors})${told}|\\d{1,3}-year-old(?![-\\p{L}]))`,
  'u',
)
const mostBack = 70
/** "This far-flung union", but not "this week". */
const pointed =
  /(?<![\p{L}’'-])(?:[Tt]h(?:is|ese|ose)|[Ss]uch) (?!(?:is|was|are|were|will|would|can|could|has|have|had|may|might|must|and|or|as|to|in|on|who|that|with|from)\b)(?!(?:past |last |coming |very )?(?:week|weekend|year|month|morning|afternoon|evening|summer|winter|spring|autumn|fall|season|century|decade|quarter|time|term|country|world|planet)(?:['’]s)?(?![\p{L}]))\p{L}/u

/** "The drawing was …" says nothing of itself, as "The sea wall of the north was …" does. */
const common =
  /^(?:government|president|public|media|police|army|military|world|internet|economy|country|nation|weather|sun|moon|earth|sky|sea|markets?|dollar|pound|euro|yen|pandemic|future|past|truth|web|press|left|right|rich|poor|young|old|more|less|most|best|worst|average|city|county|state|season|year|month|week|day|morning|afternoon|evening|night|summer|winter|spring|autumn|decade|century|minute|hour|moment|ground|air|water|home|way|time|key|only|same|human|central bank|prime minister|white house|first lady|stock market|united|european)/
function isBare(text: string): boolean {
  const [, words] = bareHead.exec(headOf(text)?.trim() ?? '') ?? []
  return words !== undefined && !common.test(words)
}
const bareHead = /(?:^|[,—–]\s)[Tt]he\s(\p{Ll}[\p{L}’'-]*(?:\s\p{Ll}[\p{L}’'-]*)?)$/u

/** It points to what was told of, and nothing in it says what. */
function pointsBack(text: string): boolean {
  const found = back.exec(text.slice(0, mostBack))
  if (found && (person.test(found[0]) || !hasName(text.slice(0, found.index)))) return true
  const at = text.search(pointed)
  return at >= 0 && at < mostPointed
}
const mostPointed = 200
const person = /(?:man|woman|boy|girl|victims?|suspects?|officers?|child|year-old)$/
const hasName = (before: string): boolean =>
  /\S\s\P{L}{0,3}\p{Lu}\p{L}|^\P{L}{0,3}\p{Lu}\p{L}+(?:['’]s|,)?\s(?:said|says|has|had|is|was)\s/u.test(
    before,
  )

const capitals = /\p{Lu}[\p{L}\p{M}’'.-]{0,30}(?:\s\p{Lu}[\p{L}\p{M}’'.-]{0,30}){0,5}/gu
const notNames =
  /^(?:The|A|An|In|On|At|By|For|From|With|As|And|But|If|When|While|After|Before|Since|Until|During|Its?|His|Her|Their|He|She|They|We|I|You|This|That|These|Those|There|Here|Mrs?|Ms|Dr|Sir|Lord|Lady|President|Prime|Minister|Senator|Rep|Sen|Gov|Gen|Judge|Justice|Professor|Prof|Chief|Captain|Officer|Detective|Secretary)\.?$/u

const partsOf = (found: string): string[] =>
  found
    .split(/\s/)
    .map(part => part.replace(/['’]s$|[.’'-]{1,3}$/gu, ''))
    .filter(part => part && !notNames.test(part))

/** Names of two words and more. */
const fullNames = (text: string): string[][] =>
  [...text.matchAll(capitals)].map(([found]) => partsOf(found)).filter(parts => parts.length > 1)

const speaks =
  '(?:said|says|say|told|tells|added|adds|wrote|writes|explained|explains|noted|notes|argued|argues|emphasi[sz]ed|asked|asks|replied|continued|recalled|recalls|tweeted|insisted|declared|admitted|claimed)'
const speaksAfter = new RegExp(`^[,\\s]{0,2}${speaks}(?![\\p{L}])`, 'u')
const speaksBefore = new RegExp(`(?<![\\p{L}])${speaks}\\s$`, 'u')

/** Names of one word, and whether one who is called so speaks. */
function bareNames(text: string): { name: string; isSpeaker: boolean }[] {
  const known = new Set<string>()
  const bare: { name: string; isSpeaker: boolean }[] = []
  for (const { 0: found, index } of text.matchAll(capitals)) {
    const parts = partsOf(found)
    const [name = ''] = parts
    if (parts.length > 1) for (const part of parts) known.add(part)
    else if (name && !known.has(name))
      bare.push({
        name,
        isSpeaker:
          index < 2 ||
          speaksAfter.test(text.slice(index + found.length, index + found.length + 20)) ||
          speaksBefore.test(text.slice(Math.max(0, index - 16), index)),
      })
  }
  return bare
}
