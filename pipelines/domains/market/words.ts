/** Compares texts as words without case, plural or ending. URLs and camelCase are split into words. */
import { normalised } from '../../../schemas/values/unicode.ts'
import { decoded } from '../../rails/formats/percent.ts'

const noise = new Set(
  (
    'a an and any are as at be by can do for from get give have how i if in into is it its me my need of on one or ' +
    'please return returns should that the their them this to up use using want what when where which who will with ' +
    'you your api apis x402 usdc pay paid payment per call calls agent agents ai endpoint endpoints data tool tools ' +
    'service services request requests via http https www com v1 v2 json real time find lookup look tell show'
  ).split(' '),
)

/** Words that buyers and sellers use for the same thing. The index treats each group as one word. */
const synonymGroups = [
  'search serp google bing',
  'scrape crawl extract read reader scraper crawler extraction',
  'price quote ticker rate',
  'fx forex currency exchange',
  'edgar filing filings 10k 10q',
  'image picture photo img',
  'picture art illustration',
  'video clip movie',
  'audio speech voice tts sound',
  'transcribe transcript transcription',
  'translate translation translator',
  'summarize summary summarization brief',
  'llm gpt chat completion completions inference chatgpt claude',
  'token coin cryptocurrency crypto',
  'wallet account',
  'balance holding holdings portfolio',
  'swap dex trade trading',
  'news headline headlines article',
  'twitter tweet tweets x.com',
  'weather forecast temperature climate',
  'map geo geocode geocoding location',
  'flight airport airline aviation',
  'hotel lodging accommodation',
  'email mail mailbox smtp',
  'domain dns whois',
  'screenshot capture snapshot',
  'company business corporate firm',
  'person people contact employee',
  'stock equity equities shares',
  'nft collectible collectibles',
  'risk safety security audit scam rug rugpull honeypot',
  'sentiment mood opinion',
  'storage upload pin ipfs',
  'random rng dice',
  'job jobs vacancy hiring career',
  'product products shopping ecommerce',
  'code programming developer',
  'paper papers academic scholar research arxiv',
  'gas fee fees',
  'yield apy staking lending',
  'bet prediction polymarket kalshi odds',
  'sport sports football soccer nba nfl',
  'recipe food cooking',
  'pdf document documents',
  'statistic stats metric',
  'website site webpage url',
  'bitcoin btc',
  'ohlcv candle candlestick',
  'perpetual perp derivative',
  'colour color',
  'licence license licensing',
]

const meant = new Map<string, string>()
for (const group of synonymGroups) {
  const [first = '', ...others] = group.split(' ').map(stem)
  for (const word of [first, ...others]) if (!meant.has(word)) meant.set(word, meant.get(first) ?? first)
}

/** Maps each synonym to the word for its group in an index. */
export const synonyms: ReadonlyMap<string, string> = meant

/** A light stemmer: removes endings that show only number or tense. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`
  const bare = word.replace(/(?:(?<=ss|sh|ch|x)es|(?<=[^su])s)$/, '')
  if (/[^aeiou]{2,}ing$|[aeiouy][^aeiou]+ing$/.test(bare) && bare.length > 5)
    return bare.slice(0, -3).replace(/e$/, '')
  if (/[aeiouy][^aeiou]+ed$/.test(bare) && bare.length > 5) return bare.slice(0, -2).replace(/e$/, '')
  return bare.length > 4 ? bare.replace(/e$/, '') : bare
}

export const plainWords = (text: string): string[] =>
  normalised(text.replace(/([a-z])([A-Z])|(\d)([A-Z][a-z])/g, '$1$3 $2$4'), 'NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word.length > 1 && word.length <= 40)

/** Words that mean one thing together. */
const phrases: readonly [RegExp, string][] = [
  [/\bphone calls?\b/gi, 'phonecall'],
  // A pre-flight check is of no flight.
  [/\b(pre|non)-(?=\p{L})/giu, '$1'],
  [/\bp ?(?:&|n|and|\/) ?l\b|\bprofits? ?(?:and|or|&|\/) ?loss(?:es)?\b/gi, 'pnl'],
]

/** A text with each phrase as one word. */
export const phrased = (text: string): string =>
  phrases.reduce((told, [phrase, word]) => told.replace(phrase, word), text)

/** Each word, with its forms in an index, where it says anything: by what it means, and as it stands. */
export const wordsAsTerms = (
  text: string,
): { word: string; term: string | undefined; literal: string | undefined }[] =>
  plainWords(phrased(text)).map(word => {
    if (noise.has(word)) return { word, term: undefined, literal: undefined }
    const stemmed = stem(word)
    const term = meant.get(stemmed)
    return term === undefined
      ? { word, term: stemmed, literal: undefined }
      : { word, term, literal: `=${stemmed}` }
  })

/** The words of a text, in the form of an index. */
export const termsOf = (text: string): string[] => wordsAsTerms(text).flatMap(({ term }) => term ?? [])

/** The path of a URL as text. Addresses and ids are removed, because they have no meaning. */
export const pathOf = (url: string): string =>
  (URL.canParse(url) ? new URL(url).pathname : '')
    .split('/')
    .filter(segment => !isIdentifier(segment))
    .map(decoded)
    .join(' ')

const isIdentifier = (segment: string): boolean =>
  /^0x[0-9a-f]{8,}$/i.test(segment) ||
  /^[0-9a-f-]{32,}$/i.test(segment) ||
  /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(segment)
