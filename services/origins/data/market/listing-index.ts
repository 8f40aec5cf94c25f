/** Finds the listings that fit a task by BM25F over their words, in memory. It sees no host, wallet or owner. */
import { type Asked, askedIn, conversion } from '../../../../pipelines/domains/market/asked.ts'
import { type Doings, doesIt, doingsOf } from '../../../../pipelines/domains/market/deeds.ts'
import {
  formatsIn,
  offersWanted,
  type TaskWord,
  taskWords,
} from '../../../../pipelines/domains/market/task-words.ts'
import { pathOf, synonyms, wordsAsTerms } from '../../../../pipelines/domains/market/words.ts'
import { bothWays, directionsOf, isOpposite } from './directions.ts'
import { Spelling } from './spelling.ts'

export interface ListingText {
  url: string
  name: string | null
  description: string
  tags: readonly string[]
  parameters: readonly string[]
}

interface Hit {
  place: number
  relevance: number
}

/** How much a word counts in each part of a listing. */
const weights = { tags: 2.5, name: 2, path: 1.5, description: 1, parameters: 0.5 } as const
type Part = keyof typeof weights
const parts = Object.keys(weights) as Part[]
const k1 = 1.2
const b = 0.6
/** A word that stands a hundred times counts as much as one that stands three times. */
const mostRepeats = 3
/** A listing must contain words with at least this share of the task's weight. */
const leastMass = 0.5
/** The same, where it lacks the very thing that is asked for, or does the deed to something else of that kind. */
const leastOfThin = 0.64
/** The same, where it does the deed to the object: the rest is the case. */
const leastOfDeed = 0.45
const shareOfBest = 0.35
/** A task with a larger share of unknown words finds nothing. */
const mostUnknown = 2 / 3
/** How much a word of a task counts beside its rarity. */
const ofCommon = 0.35
const ofWish = 1.5
/** An unknown word may be the point of the task, a name, or mere talk. */
const ofUnknown = 1.3
const ofCase = 0.3
const ofKnownCase = 0.5
/** How much another word for the same thing counts, where only the description has it: a brand's voice is no speech. */
const ofSynonym = 0.7
/** How much a word counts that a listing only mentions. */
const ofMention = 0.85
/** Each takes a search of all words, and a question may have dozens of invented ones. */
const mostMisspelt = 5
/** A shorter word is near to too many others: a face is no fact. */
const leastMisspelt = 5

/** What the words of a text mean, and beside it each word that has others of the same meaning. */
const termsOf = (text: string): string[] =>
  wordsAsTerms(text).flatMap(({ term, literal }) => [term, literal].filter(each => each !== undefined))

/** The same, of what a listing calls itself: there any word for a thing stands for it. */
const titleTerms = (text: string): string[] =>
  wordsAsTerms(text).flatMap(({ term, literal }) =>
    [term, literal, literal && titled(term as string)].filter(each => each !== undefined),
  )
const titled = (term: string) => `@${term}`
/** A word of what a listing says first, and of what it calls itself. What it says later it may only mention. */
const about = (term: string) => `^${term}`
const firstWords = 24
const stuffed = (term: string) => `!${term}`
/** With more words in its tags a listing has them for those who search. What it says nowhere else counts for this much. */
const mostTagWords = 12
const ofStuffed = 0.4
/** A word for what a tool asks for. It does not tell that. */
const taken = (term: string) => `<${term}`
/** Such a term is no word. */
const isMark = /^[=@^!<]/

/** So much of a listing is read: a seller may write twelve thousand letters, a thousand times, and all others wait. */
const most = { url: 600, name: 300, description: 1_000, names: 40, letters: 60 } as const
const bounded = ({ url, name, description, tags, parameters }: ListingText): ListingText => {
  const few = (names: readonly string[]) =>
    names.slice(0, most.names).map(each => each.slice(0, most.letters))
  return {
    url: url.slice(0, most.url),
    name: name?.slice(0, most.name) ?? null,
    description: description.slice(0, most.description),
    tags: few(tags),
    parameters: few(parameters),
  }
}

const subjectOf = ({ url, name, description, tags }: ListingText): Set<string> =>
  new Set([...tags, name ?? '', pathOf(url), description.split(/\s+/, firstWords).join(' ')].flatMap(termsOf))

const termsIn = ({ url, name, description, tags, parameters }: ListingText): Record<Part, string[]> => ({
  tags: tags.flatMap(titleTerms),
  name: titleTerms(name ?? ''),
  path: titleTerms(pathOf(url)),
  description: termsOf(description),
  parameters: parameters.flatMap(termsOf),
})

/** The words that only the tags have, where these are stuffed with words. */
function stuffedIn({ tags, name, path, description, parameters }: Record<Part, string[]>): string[] {
  const words = new Set(tags.filter(term => !isMark.test(term)))
  if (words.size <= mostTagWords) return []
  const said = new Set([name, path, description, parameters].flat())
  return [...words].filter(word => !said.has(word))
}

const none: ReadonlySet<string> = new Set()

/** The texts that contain a word, in order, and its weight in each. */
interface Posting {
  places: number[]
  weights: number[]
}

export class MarketIndex {
  readonly #postings = new Map<string, Posting>()
  readonly #size: number
  /** What the listings make of what, by their places, where they say it. */
  readonly #directions = new Map<number, ReadonlySet<string>>()
  #spelling: Spelling | undefined
  readonly #doings: readonly Doings[]

  constructor(listings: readonly ListingText[]) {
    const texts = listings.map(bounded)
    this.#size = texts.length
    const terms = texts.map(termsIn)
    // The mean counts only texts that have the part. Few texts have tags, and those few must not count for less.
    const mean = (part: Part) => {
      const lengths = terms.map(of => of[part].length).filter(Boolean)
      return lengths.reduce((sum, length) => sum + length, 0) / (lengths.length || 1)
    }
    const means = Object.fromEntries(parts.map(part => [part, mean(part)])) as Record<Part, number>
    for (const [place, of] of terms.entries())
      for (const part of parts) {
        const length = 1 - b + (b * of[part].length) / means[part]
        for (const [term, times] of counted(of[part]))
          this.#add(term, place, (weights[part] * Math.min(times, mostRepeats)) / length)
      }
    for (const [place, each] of texts.entries()) {
      for (const term of subjectOf(each)) this.#add(about(term), place, 1)
      for (const term of new Set((terms[place] as Record<Part, string[]>).parameters))
        this.#add(taken(term), place, 1)
      for (const term of stuffedIn(terms[place] as Record<Part, string[]>)) this.#add(stuffed(term), place, 1)
      const told = directionsOf(
        [each.name ?? '', pathOf(each.url), each.description, ...each.tags].join('\n'),
      )
      if (told.size) this.#directions.set(place, told)
    }
    const words = new Map<string, string>()
    const kept = (word: string) => {
      const held = words.get(word)
      if (held === undefined) words.set(word, word)
      return held ?? word
    }
    this.#doings = texts.map(each => doingsOf(each, kept))
  }

  find(task: string): Hit[] {
    const own = askedIn(task)
    const asked = taskWords(task).filter(({ word }) => word !== own.bare)
    const directions = directionsOf(task)
    const formats = formatsIn(task)
    const wanted = formats.length ? conversion : own
    const found = this.#find(asked, wanted, directions, formats)
    const respelt = found.length ? undefined : this.#respelt(asked)
    return respelt ? this.#find(respelt, wanted, directions, formats) : found
  }

  /** Undefined: no unknown word is like a known one. */
  #respelt(asked: readonly TaskWord[]): TaskWord[] | undefined {
    const isUnknown = ({ term, isWish, isCommon }: TaskWord) =>
      !isWish && !isCommon && term.length >= leastMisspelt && !this.#postings.has(term)
    const unknown = new Set(asked.filter(isUnknown).slice(0, mostMisspelt))
    if (!unknown.size) return undefined
    this.#spelling ??= new Spelling(
      [...this.#postings.keys(), ...synonyms.keys()].filter(word => !isMark.test(word)),
    )
    const spelling = this.#spelling
    const respelt = asked.map(word => {
      const nearest = unknown.has(word) ? spelling.nearest(word.term) : word.term
      return nearest === word.term ? word : { ...word, term: synonyms.get(nearest) ?? nearest }
    })
    return respelt.some((word, at) => word !== asked[at]) ? respelt : undefined
  }

  #add(term: string, place: number, weight: number): void {
    const { places, weights } = this.#posting(term)
    if (places.at(-1) === place) weights[weights.length - 1] = (weights.at(-1) as number) + weight
    else {
      places.push(place)
      weights.push(weight)
    }
  }

  #posting(term: string): Posting {
    let posting = this.#postings.get(term)
    if (!posting) {
      posting = { places: [], weights: [] }
      this.#postings.set(term, posting)
    }
    return posting
  }

  #placesOf(terms: readonly string[]): ReadonlySet<number> {
    return new Set(terms.flatMap(term => this.#postings.get(term)?.places ?? []))
  }

  /** The share of the task's weight that a listing must have, by how well it meets what is asked for. */
  #leastShare(
    asked: readonly TaskWord[],
    { deeds, mayOrder, head, modifiers, kind, of, by }: Asked,
  ): (place: number) => number {
    const isCommon = (term: string) => asked.some(each => each.term === term && each.isCommon)
    if (deeds) {
      const order = { deeds, head, modifiers }
      const shares = { object: leastOfDeed, kin: leastOfThin }
      return place => {
        const does = doesIt(order, this.#doings[place] as Doings, isCommon)
        return does ? shares[does] : Number.POSITIVE_INFINITY
      }
    }
    // Nobody knows the last word of "weather Zwvonki": it is a name.
    const isNamed = modifiers.some(term => asked.some(each => each.term === term && each.isWish))
    const things = [...head.filter(term => !isNamed || this.#postings.has(term)), ...kind, ...of]
      .filter(term => asked.some(each => each.term === term))
      .map(term => this.#placesOf([about(term)]))
    const named = [...modifiers, ...head].filter(term => !isCommon(term))
    const takes = [...modifiers, ...head].map(term => ({ term, places: this.#placesOf([taken(term)]) }))
    const takesCase = this.#placesOf(by.map(taken))
    // What a tool asks for it does not tell, unless it asks for that by which the thing is to be found, too.
    const asksForIt = (place: number) =>
      by.length > 0 &&
      takes.some(({ places }) => places.has(place)) &&
      takes.every(({ term, places }) => places.has(place) || !named.includes(term)) &&
      !takesCase.has(place)
    const itself = mayOrder ? head.map(term => this.#placesOf([about(term)])) : []
    return place =>
      asksForIt(place) || !itself.every(places => places.has(place))
        ? Number.POSITIVE_INFINITY
        : things.every(places => places.has(place))
          ? leastMass
          : leastOfThin
  }

  #find(
    asked: readonly TaskWord[],
    wanted: Asked,
    directions: ReadonlySet<string>,
    formats: readonly string[],
  ): Hit[] {
    const known = asked.filter(({ term }) => this.#postings.has(term))
    if (!known.length || asked.length - known.length > mostUnknown * asked.length) return []
    const asMuch = this.#massOf(asked, known)
    const relevance = new Float64Array(this.#size)
    const held = new Float64Array(this.#size)
    // A tool that signs addresses does not sign a PDF.
    const needsMore = asked.some(({ isDeed }) => isDeed) && asked.some(({ isDeed }) => !isDeed)
    const more = new Uint8Array(this.#size)
    for (const word of known) {
      const rarity = this.#rarity(word.term)
      const mass = this.#mass(word)
      const { places, weights } = this.#posting(word.term)
      const isMeant = this.#isMeant(word)
      const subjects = new Set(this.#postings.get(about(word.term))?.places)
      const stuffers = new Set(this.#postings.get(stuffed(word.term))?.places)
      for (const [at, place] of places.entries()) {
        const weight = weights[at] as number
        const share = (isMeant(place) ? 1 : ofSynonym) * (stuffers.has(place) ? ofStuffed : 1)
        relevance[place] = (relevance[place] as number) + (share * rarity * weight) / (k1 + weight)
        held[place] = (held[place] as number) + share * mass * (subjects.has(place) ? 1 : ofMention)
        if (!word.isDeed) more[place] = 1
      }
    }
    const offering = [...offersWanted(asked), ...formats.map(each => [each])].map(terms =>
      this.#placesOf(terms),
    )
    const both = this.#placesOf(directions.size ? bothWays.map(about) : [])
    // A tool that does the deed has its verb, by whichever word it says so.
    const verb = wanted.deeds && asked.find(({ word }) => word === wanted.verb)
    const saying = this.#placesOf(verb ? [verb.term] : [])
    const verbMass = verb ? this.#massOf([verb], known) : 0
    const heldOf = (place: number) => (held[place] as number) + (saying.has(place) ? 0 : verbMass)
    const leastShare = this.#leastShare(asked, wanted)
    const floor = (wanted.deeds ? leastOfDeed : leastMass) * asMuch
    const fits = (place: number) =>
      (held[place] as number) > 0 &&
      heldOf(place) >= floor &&
      (!needsMore || more[place] === 1) &&
      offering.every(places => places.has(place)) &&
      (both.has(place) || !isOpposite(directions, this.#directions.get(place) ?? none)) &&
      heldOf(place) >= leastShare(place) * asMuch
    const hits: Hit[] = []
    for (const [place, each] of relevance.entries()) if (fits(place)) hits.push({ place, relevance: each })
    const best = hits.reduce((most, { relevance }) => Math.max(most, relevance), 0)
    return hits.filter(({ relevance }) => relevance >= shareOfBest * best)
  }

  /** Whether a listing has the word itself, or calls itself so. */
  #isMeant({ term, literal }: TaskWord): (place: number) => boolean {
    if (literal === undefined) return () => true
    const placesOf = (each: string) => this.#postings.get(each)?.places ?? []
    const places = new Set([...placesOf(literal), ...placesOf(titled(term))])
    return place => places.has(place)
  }

  /** What all words of the task would weigh in one listing. */
  #massOf(asked: readonly TaskWord[], known: readonly TaskWord[]): number {
    const usual = known.reduce((sum, { term }) => sum + this.#rarity(term), 0) / known.length
    return asked.reduce((sum, word) => {
      if (known.includes(word)) return sum + this.#mass(word)
      if (word.isWish) return sum + ofWish * this.#rarity(word.term)
      return sum + (word.isCommon ? ofCommon : word.isCase ? ofCase : ofUnknown) * usual
    }, 0)
  }

  #mass({ term, isCommon, isWish, isCase }: TaskWord): number {
    return (isCommon ? ofCommon : isCase ? ofKnownCase : isWish ? ofWish : 1) * this.#rarity(term)
  }

  #rarity(term: string): number {
    const holding = this.#postings.get(term)?.places.length ?? 0
    return Math.log(1 + (this.#size - holding + 0.5) / (holding + 0.5))
  }
}

function counted(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
