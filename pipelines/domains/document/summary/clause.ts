/**
 * Whether an English sentence is one: its main clause has a verb that is bound to a person. An order ("Narrow your search"),
 * a heading, a caption and a line of a list have none, or only in a clause that a word like "who" or "if" opens.
 */

/** A form of a verb that stands for nothing else. */
const verbs =
  'is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|does|did|said|says|say|means|meant|made|took|went|came|saw|won|lost|began|became|left|held|told|gave|got|led|met|ran|sent|fell|rose|grew|found|kept|paid|stood|brought|broke|built|chose|drew|felt|knew|spoke|spent|sold|wrote|thought|bought|caught|sought|taught|fought|flew|threw|drove|isn|aren|wasn|weren|hasn|haven|hadn|won|wouldn|can|couldn|shouldn|doesn|don|didn|cannot'
const bound = new RegExp(`^(?:${verbs})(?:['’]t)?$`, 'u')
/** After one of these comes a verb of its own: "the board that pays". */
export const opens =
  /^(?:who|which|that|whose|whom|where|when|whenever|if|because|while|as|how|what|why|whether|although|though|unless|until|once|since|so)$/iu
/** A clause or a phrase before the main clause. */
const introduces =
  /^(?:In|On|At|By|For|From|With|After|Before|Since|During|Under|Over|As|While|When|Whenever|If|Although|Though|Because|Despite|Unlike|Like|According|Among|Between|Through|Throughout|Across|Within|Without|To|Once|Until|Unless|Of|Behind|Near|Along|Beyond|Around|Instead|Thanks|Due|Based|Compared|\p{Lu}\p{Ll}{1,20}(?:ing|ed|ly))$/u
/** It has a person, so what follows is its verb: "you lose". */
const person = /^(?:I|you|we|they|he|she|it|who)$/iu
const contracted = /^(?:\p{L}+['’](?:re|ve|ll|d|m)|(?:it|that|he|she|there|what|who|here)['’]s)$/iu
/** What comes after a verb, and seldom after a noun that looks like one. */
const object =
  /^(?:an?|the|his|her|its|their|our|your|my|this|that|these|those|no|all|some|several|many|more|most|him|them|it|us|you|me|not|to|how|what|why|whether|each|every|one|two|three|another|any|both|up|out|down|off|back|away|\p{Lu}.*|["“‘$€£\d].*)$/u
const article = /^(?:an?|the|each|every|this|no|another|its|his|her|their|\p{L}+['’]s)$/iu
const joins =
  /^(?:of|in|on|at|for|from|with|by|to|and|or|between|against|into|about|than|but|over|under|per)$/iu
const mostSubject = 5

const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}$€£]{1,5}|[^\p{L}\p{N}%+]{1,5}$/gu, '')

/** The main clause, without what stands before it: "In 2018, the board paid". */
export function mainClauseOf(text: string): string {
  const plain = text.replace(/^["'“‘(\s]+|^[\p{Lu}\s,.'-]{3,40}(?:\([\p{L} ]{2,20}\) )?[—–-]{1,2}\s/u, '')
  const [first = ''] = plain.split(/[\s,]/, 1)
  const comma = plain.search(/,\s/)
  return introduces.test(first) && comma > 0 && comma < 160 ? plain.slice(comma + 2) : plain
}

/** "If you do, …" and "When it is, …" say again what was said before. */
const repeats =
  /^(?:If|When|Where|Once|Unless) \p{L}+ (?:do|does|did|is|are|was|were|can|has|have|not)(?:n['’]t| not)?,/iu

export const hasMainClause = (text: string): boolean => headOf(text) !== undefined

/** What stands before the verb of its main clause. Undefined without one. */
export function headOf(text: string): string | undefined {
  if (repeats.test(text)) return undefined
  const main = mainClauseOf(text)
  const words = main
    .split(/[;:]\s/u, 1)
    .join('')
    .replace(/\s?[—–]\s?/g, ', ')
    .split(/\s+/)
    .slice(0, 60)
  // "Until they met her" has no other clause.
  let open = opens.test(bare(words[0] ?? '')) && !asks.test(words[0] ?? '') ? 2 : 1
  for (const [at, word] of words.entries()) {
    if (opens.test(bare(word)) && at > 0) open += 1
    else if (isVerb(words, at)) open -= 1
    if (open === 0) return `${text.slice(0, text.length - main.length)} ${words.slice(0, at).join(' ')}`
  }
  return undefined
}
const asks = /^(?:that|how|what|why|whether|who|so)/i

function isVerb(words: readonly string[], at: number): boolean {
  const [word, next] = [bare(words[at] ?? ''), bare(words[at + 1] ?? '')]
  const before = bare(words[at - 1] ?? '')
  if (contracted.test(word)) return beginsAt(words, at)
  if (at === 0 || bound.test(before) || /^(?:be|been|being|get|gets|getting|having)$/.test(before))
    return false
  // "To help you achieve" and "make sure they are" have no clause of their own.
  if (person.test(before))
    return beginsAt(words, at - 1) && (bound.test(word) || (/^\p{Ll}/u.test(word) && !joins.test(word)))
  if (bound.test(word)) return !/^(?:an?|the|and|or|to)$/i.test(before)
  if (/[,;:]$/.test(words[at - 1] ?? '')) return false
  if (/^\p{Ll}{2,}ed$/u.test(words[at] ?? ''))
    return object.test(next) && next !== 'to' && !article.test(before)
  if (!/^\p{Ll}{2,}[^siu\P{Ll}]s$/u.test(word) || !object.test(next)) return false
  return /^(?:who|which|that)$/.test(before) || hasSingle(words, at)
}

/** A clause begins at its place: at first, after a sign, and after a word that opens or joins one. */
function beginsAt(words: readonly string[], at: number): boolean {
  const before = words[at - 1]
  return (
    before === undefined || /[,;:]$/.test(before) || begins.test(bare(before)) || opens.test(bare(before))
  )
}
const begins = /^(?:and|but|or|then|therefore|often|usually|sometimes|also|now|today|\p{L}+ly)$/iu

/** One thing does it: "GitHub provides", "the price of oil falls", but not "hiking boots". */
function hasSingle(words: readonly string[], at: number): boolean {
  const noun = bare(words[at - 1] ?? '')
  if (/s$/.test(noun) || article.test(noun) || joins.test(noun) || noun === '') return false
  if (/^\p{Lu}/u.test(noun)) return true
  for (let back = at - 2; back >= Math.max(0, at - mostSubject); back--) {
    const word = bare(words[back] ?? '')
    if (article.test(word)) return true
    if (joins.test(word)) return false
  }
  return false
}
