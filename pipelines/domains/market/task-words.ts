/**
 * How much each word of a task says about what is wanted. A tool that shares only what it is applied to (a text, a
 * wallet, a price) is another tool.
 */
import { synonyms, termsOf, wordsAsTerms } from './words.ts'

/** What tools are applied to, and what every tool says of itself. They stand in tasks of all kinds. */
const common = new Set(
  termsOf(
    'text word sentence page website url link file document message image photo video media ' +
      'user person people account wallet address token coin chain network blockchain market company item thing topic ' +
      'city country place area name id list listing history number amount value price rate score level status info ' +
      'information detail report analysis summary result model system content source type kind ' +
      'current latest recent new live now today tomorrow daily day week month year next last near nearby ' +
      'best top good most more many much all every some close open big small high low free cheap ' +
      'check see know want compare track tracking monitor create generate make build write send add store share run use ' +
      'start move change need work is does has have had was were did before after about over under between',
  ),
)

/**
 * What people want tools to do, whether anybody sells it yet. If no listing has such a word, no listing fits the task,
 * however many of its other words stand there.
 */
const deeds =
  'translate transcribe dictate compress resize crop upscale colorize clone convert encrypt decrypt sign notarize ' +
  'book order buy rent lease reserve hire deliver print scan dub caption subtitle paraphrase proofread ' +
  'signature'
const wishes =
  `${deeds} plagiarism ` +
  'grammar spelling diagnose diagnosis symptom symptoms medicine medical drug vaccine vaccination health fitness ' +
  'calorie diet recipe food restaurant pizza hotel flight airport train bus ferry taxi car vehicle vin licence plate ' +
  'parking parcel parcels shipment shipping courier postage captcha sms phone phonecall call fax voicemail voice speech podcast ' +
  'timetable ticket tickets concert event events cinema movie film series book books novel song lyrics playlist radio ' +
  'game chess sudoku puzzle horoscope tarot dream lottery weather tide tides earthquake volcano flood soil crop farm ' +
  'satellite pollen pollution emission emissions carbon electricity solar dna protein genome molecule patent trademark ' +
  'copyright court lawsuit crime criminal prison police visa passport immigration election census tax taxes invoice ' +
  'receipt payroll mortgage loan credit insurance pension stock bond dividend earnings filing sec commodity gold oil ' +
  'estate house housing apartment property school university course exam homework tutor resume cv vacancy job jobs ' +
  'salary embed embedding embeddings vector rerank cluster classify moderate moderation ocr watermark background ' +
  'thumbnail logo icon font animation 3d barcode linkedin reddit instagram tiktok youtube facebook discord telegram ' +
  'whatsapp spotify netflix amazon ebay notion slack calendar meeting reminder spreadsheet excel powerpoint regex sql ' +
  'compile deploy unit password vpn proxy subtitles karaoke shop product pnl fashion clothes shoes furniture pet dog cat baby'
const done: ReadonlySet<string> = new Set(termsOf(deeds))
const wished: ReadonlySet<string> = new Set([...termsOf(wishes), ...synonyms.values()])

/**
 * What is wanted of a thing: a tool for the same thing that says none of these words does something else with it. Each group has the
 * words that ask for it, and the words that offer it.
 */
const wants = (
  [
    ['price cost', 'price cost value fee market'],
    [
      'generate create compose invent draw paint',
      'generate generation generator create creation creator creative make maker compose draw write craft design mint image art',
    ],
    [
      'compare comparison',
      'compare comparison versus best rank ranking matching equivalent difference spread',
    ],
  ] as const
).map(([asks, offers]) => ({ asks: new Set(termsOf(asks)), offers: [...new Set(termsOf(offers))] }))

/** The words of which a fitting listing has one, for each thing that a task wants done. */
export const offersWanted = (words: readonly TaskWord[]): (readonly string[])[] =>
  wants
    .filter(({ asks }) => words.some(({ term, isCase }) => !isCase && asks.has(term)))
    .map(({ offers }) => offers)

const formats = new Set(
  'pdf html docx markdown csv json xml yaml png jpg jpeg svg gif webp mp3 mp4 wav epub xlsx latex'.split(' '),
)

const asTheyStand = (text: string): string[] =>
  wordsAsTerms(text).flatMap(({ term, literal }) => literal ?? term ?? [])

/** What is made of what, by their own names: a tool for documents makes no HTML of a PDF. */
export function formatsIn(task: string): string[] {
  const [, from = '', to = ''] =
    /(?:^|\s)(\w{3,8})(?:\s\w{4,8})?\s(?:in)?to\s(?:an?\s)?(\w{3,8})(?:\s|$)/i.exec(task) ?? []
  const both = [from.toLowerCase(), to.toLowerCase()]
  return both.every(each => formats.has(each)) ? asTheyStand(both.join(' ')) : []
}

/** A word behind one of these is the case that a tool is asked about, such as a city: it tells of no other tool. */
const before = /^(?:in|at|for|near|around|from|to|into|between|via|behind|inside|outside)$/

export interface TaskWord {
  word: string
  term: string
  /** The word as it stands, if others mean the same. */
  literal: string | undefined
  isCommon: boolean
  isWish: boolean
  /** What is to be done with the rest. */
  isDeed: boolean
  isCase: boolean
}

/** The words of a task, each once. */
export function taskWords(task: string): TaskWord[] {
  const found = new Map<string, TaskWord>()
  let isCase = false
  for (const { word, term, literal } of wordsAsTerms(task)) {
    if (term !== undefined && !found.has(term))
      found.set(term, {
        word,
        term,
        literal,
        isCommon: common.has(term),
        isWish: wished.has(term),
        isDeed: done.has(term),
        isCase,
      })
    isCase = before.test(word)
  }
  return [...found.values()]
}
