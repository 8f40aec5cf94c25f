/** Deeds: words for the same one, the forms of a verb, and whether the text of a tool says that it does it. */
import { pathOf, plainWords, termsOf } from './words.ts'

export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

/** Verbs for the same deed, and nouns for it that share no root with them. */
const families = [
  'make create generate compose produce build design draw paint craft invent write draft render author creative',
  'send deliver dispatch notify relay',
  'warn alert notify monitor watch track',
  'store save remember memorize add keep',
  'upload publish share post host',
  'audit review inspect assess analyze analysis scan check',
  'validate verify check',
  'convert turn transform conversion',
  'swap exchange',
  'buy purchase order',
  'rent lease',
  'hire recruit employ',
  'book reserve reservation',
  'delete remove erase removal',
  'summarize shorten condense summary',
  'explain teach',
  'rewrite paraphrase rephrase reword',
  'run execute',
  'plan design prepare',
  'adapt localize tailor customize',
  'transcribe transcript transcription',
  'detect recognize identify spot recognition',
  'parse extract read',
  'decode decrypt parse read',
  'register registration',
  'subscribe subscription',
  'value appraise estimate valuation',
].map(each => each.split(' '))

const alone =
  'translate deploy revoke mint stake unstake lend borrow bridge transfer deposit withdraw trade pay sell sign print launch ' +
  'open close cancel unsubscribe reply answer call invite block unblock freeze lock unlock recover restore reset replace repair ' +
  'fix install compile train solve encrypt encode compress resize crop merge split cut trim rotate edit retouch clone copy ' +
  'rank rate count measure weigh geocode predict simulate schedule fill redeem claim vote delegate invest hedge top refund ' +
  'donate tip subtitle caption dub record play download import export sync migrate submit apply enrol hash resolve classify ' +
  'label tag moderate filter sort collect clean wash cook drive cash ' +
  'move rename burn wrap unwrap vest airdrop escrow transact approve reject accept decline confirm ban kick mute unmute follow ' +
  'unfollow like dislike retweet forward archive pin hide pause resume start stop restart turn switch connect disconnect attach ' +
  'assign change update upgrade downgrade renew extend activate deactivate enable disable grant join leave enter visit attend ' +
  'contact meet text mail email ping test improve enhance correct proofread fight heal feed grow ship pack park charge'

export const verbs: ReadonlySet<string> = new Set([...families.flat(), ...alone.split(' ')])

/** What is told of a deed: a "swap fee" swaps nothing. */
export const toldOf = wordSet(
  'price prices impact rate rates fee fees cost costs risk risks transaction transactions statistics stats count quote quotes ' +
    'route routes status history volume activity analytics ranking rankings leaderboard feed yield yields apy apr list news ' +
    'simulate metadata data info information details',
)

const determiners = wordSet('the an this that each any every')
const linking = /^(?:of|and|or|services?|tools?|api|engine|assistant|agents?|bot|.*(?:ist|er|or))$/

/** The root that a verb shares with its forms: "maker", "making" and "make" have one. It need not be a word. */
export const rootOf = (word: string): string =>
  word
    .replace(/(?<=\w{3})ing$/, '')
    .replace(/(?:ification|ifier|ify)$/, 'if')
    .replace(/(?:ation|ator|ate)$/, '')
    .replace(/(?<=[st])ion$/, '')
    .replace(/(?<=\w{3})ment$/, '')
    .replace(/(?<=\w{3})(?:er|or)y?$/, '')
    .replace(/(?<=\w{2})[ey]$/, '')
    .replace(/([bdglmnprt])\1$/, '$1')

/** Their words are things as often, even where a text begins with them. */
const dealings = new Set(
  'swap trade exchange bridge stake mint lend borrow transfer deposit'.split(' ').map(rootOf),
)

const roots = new Set([...verbs].map(rootOf))

export const rootsLike = (verb: string): ReadonlySet<string> =>
  new Set([verb, ...families.filter(each => each.includes(verb)).flat()].map(rootOf))

interface ToolText {
  url: string
  name: string | null
  description: string
  tags: readonly string[]
}

const apart =
  /[.;:!?[\]—–|\n]|\s-\s|\s(?=(?:for|to|when|so|that|which|with|without|by|using|via|from|into|before|after|across|against|including|based|in|on|at|as)\s)/
/** Behind these stands what others do with it. */
const aside = /^\s*(?:so|when|that|which)\s/
/** Behind these stands with what it is done, and to what it belongs: no text begins there. */
const inside =
  /^(?:,|\s*(?:with|without|by|using|via|from|into|before|after|across|against|including|based|in|on|at|as)\s)/
const anyOfThem = /\b(?:any|all|every)\b/i
/** What a tool is for stands in so many clauses. */
const firstClauses = 3
/** What it does stands in so many words. Behind them are its fields and examples. */
const firstWords = 30

/** The clauses of a text, without what stands in brackets. */
const clausesOf = (text: string): string[] =>
  text
    .replace(/\([^()]{0,200}\)/g, ' ')
    .split(apart)
    .filter(clause => clause.trim() && !aside.test(clause))
    .flatMap(listed)

/** A deed without its object. */
const isBare = (clause: string): boolean =>
  plainWords(clause).every(word => roots.has(rootOf(word.replace(/s$/, ''))) || word === 'and')

/** A list of deeds goes on to its object: "generate, edit and upscale images". What stands in a list begins with a comma. */
function listed(clause: string): string[] {
  const told: string[] = []
  for (const each of clause.split(/(?=,)/)) {
    const last = told.at(-1)
    if (last !== undefined && isBare(last)) told[told.length - 1] = `${last}${each}`
    else told.push(each)
  }
  return told
}

/**
 * The roots of what a text does, and of those with which it begins. What was done ("deployed"), things in the plural
 * ("posts") and what is told of a deed are no deeds.
 */
function rootsIn(
  words: readonly string[],
  isListed = false,
): { all: ReadonlySet<string>; leading: ReadonlySet<string> } {
  const [all, leading] = [new Set<string>(), new Set<string>()]
  for (const [at, word] of words.entries()) {
    if (determiners.has(words[at - 1] ?? '')) continue
    if (/[^e]ed$/.test(word) && word.length > 4) continue
    const isThing = at > 0 || isListed || dealings.has(rootOf(word))
    if (isThing && words.slice(at + 1, at + 3).some(next => toldOf.has(next))) continue
    // "Lending liquidations" are no lending.
    if (/ing$/.test(word) && !linking.test(words[at + 1] ?? 'of')) continue
    const isThird = /[^su]s$/.test(word) && word !== 'alerts'
    const root = rootOf(
      isThird ? word.replace(/(?:(?<=ss|sh|ch|x)es|s)$/, '') : word.replace(/^alerts$/, 'alert'),
    )
    if (isThird ? at < 2 : at === 0 && !isListed) leading.add(root)
    if (!isThird) all.add(root)
  }
  return { all, leading }
}

/** Words for what a deed is done to, where tools are for any page. */
const [page = ''] = termsOf('website')
const pages = new Set(termsOf('page link article site content website'))
const objectOf = (term: string) => (pages.has(term) ? page : term)

interface Deed {
  /** The roots of all words for the deed. */
  deeds: ReadonlySet<string>
  /** What it is done to, and the words before that. */
  head: readonly string[]
  modifiers: readonly string[]
}

interface Clause {
  /** The roots of what is done in it, and of that with which it begins. */
  all: readonly string[]
  leading: readonly string[]
  terms: readonly string[]
  isOfAny: boolean
}

/** What a text says of what its tool does. */
export interface Doings {
  title: { all: readonly string[]; terms: readonly string[] }
  /** The terms of the first clauses. */
  first: readonly string[]
  /** Those that say of a deed. */
  clauses: readonly Clause[]
}

/** Of a text that says of no deed. */
const idle: Doings = { title: { all: [], terms: [] }, first: [], clauses: [] }

/** So many letters of each part of a text are read, and so many clauses and terms kept: a seller may write thousands. */
const longest = 300
const mostClauses = 12
const mostTerms = 40

/** Reads a text once, for all questions. `kept` gives the one copy of a word that is kept. */
export function doingsOf({ name, url, tags, description }: ToolText, kept: (word: string) => string): Doings {
  const clauses = clausesOf(description.slice(0, longest).split(/\s+/, firstWords).join(' ')).slice(
    0,
    mostClauses,
  )
  const title = plainWords(
    [name ?? '', pathOf(url.slice(0, longest)), tags.join(' ')].map(each => each.slice(0, longest)).join(' '),
  )
  const termsIn = (text: string) =>
    [...new Set(termsOf(text).map(objectOf))].slice(0, mostTerms).map(each => kept(each))
  const deedsIn = (found: ReadonlySet<string>) => [...found].filter(root => roots.has(root)).map(kept)
  const all = deedsIn(rootsIn(title).all)
  const doing = clauses.flatMap(clause => {
    const found = rootsIn(plainWords(clause), inside.test(clause))
    const told = { all: deedsIn(found.all), leading: deedsIn(found.leading) }
    if (!told.all.length && !told.leading.length) return []
    return [{ ...told, terms: termsIn(clause), isOfAny: anyOfThem.test(clause) }]
  })
  if (!all.length && !doing.length) return idle
  return {
    title: { all, terms: termsIn(title.join(' ')) },
    first: termsIn(clauses.slice(0, firstClauses).join(' ')),
    clauses: doing,
  }
}

/**
 * Whether a text says in one breath that its tool does a deed to an object; `kin`: to something else of that kind. An object that tools
 * of all kinds are applied to may stand further off.
 */
export function doesIt(
  { deeds, head, modifiers }: Deed,
  { title, first, clauses }: Doings,
  isCommon: (term: string) => boolean,
): 'object' | 'kin' | undefined {
  const meets = (...texts: (readonly string[])[]): 'object' | 'kin' | undefined => {
    const has = (term: string) => texts.some(terms => terms.includes(objectOf(term)))
    if (head.length ? head.every(has) : !modifiers.length || modifiers.some(has)) return 'object'
    return modifiers.some(term => !isCommon(term) && has(term)) ? 'kin' : undefined
  }
  const does = (roots: readonly string[]) => roots.some(root => deeds.has(root))
  const isWide = (head.length ? head : modifiers).every(isCommon)
  const met = [does(title.all) ? meets(title.terms, first) : undefined]
  for (const { all, leading, terms, isOfAny } of clauses) {
    if (does(leading)) met.push(meets(title.terms, isWide || isOfAny ? first : [], terms))
    else if (does(all) && (head.length || modifiers.length)) met.push(meets(terms))
  }
  return met.includes('object') ? 'object' : met.find(each => each)
}
