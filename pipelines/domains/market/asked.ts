/**
 * What a task asks for, by its grammar: a deed and its object ("deploy a contract"), or a thing and what it belongs to
 * ("holders of a token"). Words alone do not tell a tool that deploys from one that lists what was deployed.
 */
import { rootOf, rootsLike, toldOf, verbs, wordSet } from './deeds.ts'
import { phrased, termsOf } from './words.ts'

export interface Asked {
  /** The word with which it asks for a thing, where that tells nothing of it: "run a search". */
  bare: string | undefined
  /** The roots of all words for the deed that a task orders. Undefined: it asks what there is to know. */
  deeds: ReadonlySet<string> | undefined
  /** It may be an order by a verb that is not known, so that the thing itself must be there: "stream a movie". */
  mayOrder: boolean
  /** The verb of the order. */
  verb: string | undefined
  /** The last word of what is asked for, or of what the deed is done to: the thing itself. */
  head: readonly string[]
  /** The words before it, and the one that stands right before. */
  modifiers: readonly string[]
  kind: readonly string[]
  /** What the thing belongs to. */
  of: readonly string[]
  /** By what the thing is to be found. */
  by: readonly string[]
}

const opening =
  /^(?:(?:please|i (?:want|need|would like) to|(?:can|could) you|help me(?: to)?|how (?:do|can|to)(?: i)?|let me|to)\s+)+/
const questions = wordSet(
  'is are has have had was were does do did can could will which who whom whose what when where how why',
)
const articles = wordSet(
  'a an the my your our their his her this these those me its some any all every several two three another',
)
const prepositions = wordSet(
  'of in at on for from to into with without by between near via under over about against around than through across ' +
    'behind inside outside before after during per as if when while that which who where and or until given is are has was',
)
/** Before one of these a word that may be a thing is one: "gas all chains". */
const pointing = wordSet('this these all any every')
/** What a thing belongs to stands behind these. What stands behind others is a case, such as a city. */
const belonging = wordSet('of between')
const finding = wordSet('of at by behind')
/** "Euro to yen rate" is one thing. */
const joining = wordSet('to and or')
/** Who begins with one of these asks what there is to know. */
const asking = wordSet(
  'get find search show list look lookup check tell see know fetch retrieve query browse explore read compare',
)
/** The same, and the word tells nothing of the thing. */
const bare = wordSet(
  'take grab view obtain return display perform calculate determine provide receive pull see know do use discover',
)
/** So do these, of what may be run, and of what is read in the end. */
const bareOf: readonly [ReadonlySet<string>, ReadonlySet<string>][] = [
  [
    wordSet('run call'),
    wordSet('llm gpt search query lookup scan check audit analysis report backtest simulation test'),
  ],
  [wordSet('open load download visit'), wordSet('page website webpage site url link article')],
  [wordSet('predict'), wordSet('weather temperature rain')],
  [wordSet('encode'), wordSet('qr')],
  [wordSet('answer'), wordSet('question questions')],
]
/** These name a thing as often as a deed: without an article, "book review" is no order. */
const things = wordSet(
  'book order review record label tag host call block copy post plan design track watch alert answer summary transcript ' +
    'transcription analysis recognition reservation registration subscription conversion removal creative author top train rank ' +
    'count filter exchange audit scan check share rent lease play rate wrap start stop switch change update ' +
    'upgrade leave contact text mail email ping test follow like feed pack park charge airdrop pin move visit',
)

/** An order begins with a verb that is known: any word may stand before an article. */
function isOrder([first = '', second = '', ...more]: readonly string[]): boolean {
  if (!verbs.has(first)) return false
  if (articles.has(second)) return !pointing.has(second) || !things.has(first)
  const isVerb = !things.has(first) && second !== '' && second !== 'of'
  return isVerb && ![second, ...more].some(word => toldOf.has(word))
}

/** What stands behind may be what a deed is done to. */
const mayBeObject = (second = ''): boolean => articles.has(second) && !pointing.has(second)

/** "Run a search" asks for a search, and "run a script" for a run. */
const asksBarely = ([first = '', second = '', ...more]: readonly string[]): boolean =>
  articles.has(second) &&
  (bare.has(first) ||
    bareOf.some(([verbs, things]) => verbs.has(first) && more.some(word => things.has(word))))

/** The words up to the next that ends them, and what stands behind. */
function upTo(words: readonly string[], ends: (word: string) => boolean) {
  const from = Math.max(
    0,
    words.findIndex(word => !prepositions.has(word)),
  )
  const end = words.findIndex((word, at) => at >= from && ends(word))
  const phrase = words.slice(from, end < 0 ? undefined : end)
  return {
    phrase: phrase.filter(word => !articles.has(word) && !prepositions.has(word)),
    link: words[end] ?? '',
    behind: end < 0 ? [] : words.slice(end + 1),
  }
}

const nothing: Asked = {
  bare: undefined,
  deeds: undefined,
  mayOrder: false,
  verb: undefined,
  head: [],
  modifiers: [],
  kind: [],
  of: [],
  by: [],
}

export function askedIn(task: string): Asked {
  const words = phrased(task)
    .toLowerCase()
    .replace(opening, '')
    .split(/[^\p{L}\p{N}'-]+/u)
    .filter(Boolean)
  const [first = ''] = words
  const bare = asksBarely(words) ? first : undefined
  if (questions.has(first)) return { ...nothing, bare }
  const asks = bare !== undefined || asking.has(first)
  const orders = !asks && isOrder(words)
  const { phrase, link, behind } = upTo(
    words.slice(orders || asks ? 1 : 0),
    word => prepositions.has(word) && (orders || !joining.has(word)),
  )
  const { phrase: owner } = upTo(behind, word => prepositions.has(word) && word !== 'of')
  const named = phrase.length ? phrase : owner
  const isJoined = joining.has(words[words.indexOf(named.at(-1) ?? '') - 1] ?? '')
  const modifiers = termsOf(named.slice(0, -1).join(' '))
  const last = termsOf(owner.at(-1) ?? '')
  return {
    ...nothing,
    bare,
    mayOrder: !orders && !asks && mayBeObject(words[1]),
    ...(orders && { deeds: rootsLike(first), verb: first }),
    head: termsOf(named.at(-1) ?? ''),
    modifiers,
    kind: isJoined ? [] : modifiers.slice(-1),
    of: belonging.has(link) ? last : [],
    by: finding.has(link) ? last : [],
  }
}

/** "PDF to HTML": a tool that makes either of something else has both names, too. */
export const conversion: Asked = { ...nothing, deeds: new Set([...rootsLike('convert'), rootOf('extract')]) }
