/**
 * Whether an English sentence is one. It is, unless something shows that it is none: an order ("Narrow your search"), a clause
 * that a word like "until" opens, or no word that can be a verb, as a heading, a caption and a line of a list have none.
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
/** What comes after a verb. It is none, and neither is what follows it. */
const object =
  /^(?:an?|the|his|her|its|their|our|your|my|this|that|these|those|no|all|some|several|many|more|most|him|them|it|us|you|me|not|to|how|what|why|whether|each|every|one|two|three|another|any|both|up|out|down|off|back|away|\p{Lu}.*|["“‘$€£\d].*)$/u
const article = /^(?:an?|the|each|every|this|no|another|its|his|her|their|\p{L}+['’]s)$/iu
const joins =
  /^(?:of|in|on|at|for|from|with|by|to|and|or|between|against|into|about|than|but|over|under|per)$/iu

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

/** "Narrow your …", "Runs the …", "Designed for …": no subject stands before it. */
const lacksSubject =
  /^(?:To|(?!(?:In|On|At|By|For|From|With|Of|Under|Over|Near|Behind|All|Both|Half|Not|Only|Even|Such|Many) )\p{Lu}\p{Ll}+(?<!ing) (?:an?|the|your|our|its|his|her|their)|\p{Lu}\p{Ll}+ed (?:of|in|on|at|for|from|with|by|to|as)) /u

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
  const first = bare(words[0] ?? '')
  // "Until they met her" has no other clause.
  const isOpen = opens.test(first) && !asks.test(first)
  let head = beforeVerb(words, isVerb, isOpen ? 2 : 1)
  if (head === undefined && !isOpen && !lacksSubject.test(main)) head = beforeVerb(words, mayBeVerb, 1)
  return head && `${text.slice(0, text.length - main.length)} ${head.join(' ')}`
}

type IsVerb = (words: readonly string[], at: number) => boolean

/** The words before the verb that closes the last open clause. */
function beforeVerb(words: readonly string[], is: IsVerb, clauses: number): string[] | undefined {
  let open = clauses
  for (const [at, word] of words.entries()) {
    if (opens.test(bare(word)) && at > 0) open += 1
    else if (is(words, at)) open -= 1
    if (open === 0) return words.slice(0, at)
  }
  return undefined
}
const asks = /^(?:that|how|what|why|whether|who|so)/i

function isVerb(words: readonly string[], at: number): boolean {
  const [word, before] = [bare(words[at] ?? ''), bare(words[at - 1] ?? '')]
  if (contracted.test(word)) return beginsAt(words, at)
  if (at === 0 || bound.test(before) || /^(?:be|been|being|get|gets|getting|having)$/.test(before))
    return false
  // "To help you achieve" and "make sure they are" have no clause of their own.
  if (person.test(before))
    return beginsAt(words, at - 1) && (bound.test(word) || (/^\p{Ll}/u.test(word) && !joins.test(word)))
  return bound.test(word) && !/^(?:an?|the|and|or|to)$/i.test(before)
}

/** It has the form of a verb, and may be one where it stands: after a plural every word, else what ends so or is an irregular past. */
function mayBeVerb(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? ''
  if (/^(?:and|but|or)$/.test((/ly$/.test(before) && words[at - 2]) || before)) return false
  if (isVerb(words, at)) return true
  const [word = '', next = ''] = [words[at], words[at + 1]]
  if (at === 0 || !/^\p{Ll}{2,}$/u.test(word) || isNoVerb(word) || /,$/.test(before)) return false
  if (article.test(before) || joins.test(before) || /ing$/.test(before)) return false
  if (/^\p{Ll}/u.test(before) && object.test(before) && !opens.test(before)) return false
  if (/ed$/.test(word)) return true
  const end = words.findIndex((each, i) => i > 0 && each !== 'and' && (joins.test(each) || opens.test(each)))
  const subject = words.slice(0, end < 0 ? at : Math.min(at, end))
  if (subject.some(each => many.test(bare(each)))) return !/[^s]s$/.test(word)
  return (past.test(word) || /[^su]s$/.test(word)) && !/^(?:of|for)$/.test(next)
}
const isNoVerb = (word: string): boolean =>
  joins.test(word) ||
  object.test(word) ||
  begins.test(word) ||
  /^(?:be|been|via|such|located|based|designed|related)$|(?:ing|[ai]ble|ful|ous|less)$/.test(word) ||
  introduces.test(`${word.slice(0, 1).toUpperCase()}${word.slice(1)}`.replace(/ed$/, ''))
const many =
  /^(?:\p{L}*[^su\P{L}]s|people|men|women|children|police|data|media|bacteria|larvae|fungi|algae|mice|fish|sheep|cattle|and|many|most|few|both|several|some|number|majority)$/iu
const past =
  /^(?:ate|beat|bet|bore|bound|bred|burnt|burst|cast|clung|cost|crept|cut|dealt|drank|dug|fed|fled|forbade|froze|hid|hit|hung|hurt|knelt|laid|lay|lent|let|lit|overcame|overtook|put|quit|rang|read|rode|sang|sank|sat|set|shook|shot|shrank|shut|slept|slid|spun|split|spread|sprang|stole|stuck|struck|swam|swept|swore|swung|taught|tore|underwent|understood|withdrew|woke|wore|wound)$/u

/** A clause begins at its place: at first, after a sign, and after a word that opens or joins one. */
function beginsAt(words: readonly string[], at: number): boolean {
  const before = words[at - 1]
  return (
    before === undefined || /[,;:]$/.test(before) || begins.test(bare(before)) || opens.test(bare(before))
  )
}
const begins = /^(?:and|but|or|then|therefore|often|usually|sometimes|also|now|today|\p{L}+ly)$/iu
