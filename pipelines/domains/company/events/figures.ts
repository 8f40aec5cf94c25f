/** The figures in a press release, each with its sentence. Nothing is computed or inferred. */
import type { EventFigure } from '../../../../schemas/sec-events.ts'
import { joinedLines, piecesOf } from './sentences.ts'

const amount = String.raw`(?:US|C|A|NT|HK|RMB )?[$€£¥] ?\(?\d[\d,]*(?:\.\d+)?\)?(?: ?(?:thousand|million|billion|trillion|mm)\b)?`
const perShare = String.raw`(?:US|C)?[$€£] ?\(?\d{1,4}\.\d{1,4}\)?`
const about = '(?:approximately |about |a record |record |nearly |over )?'

/** The words that may come before the words of a total. Any other word makes it a part: segment revenue, cost of sales. */
const before = `(?:^|[•●▪·*–—:,;(]\\s*|\\b(?:achieved|reported|reports|generated|generates|delivered|delivers|posted|posts|recorded|records|announced|announces|produced|had|with|and|on|the|its|our|a|that|results|include|included|including|highlights)\\s+|’s\\s+|'s\\s+)`
const plain =
  '(?:(?:total|record|consolidated|GAAP|quarterly|annual|reported|first|second|third|fourth|full|quarter|fiscal|year|full-year|first-quarter|second-quarter|third-quarter|fourth-quarter|Q[1-4]|20\\d\\d|company|FY\\d\\d)\\s+)*'
/** The text between the words and the number: owner and period, but no words that make it another figure. */
const gap = String.raw`(?:(?!\b(?:increase|decrease|increas|decreas|growth|grew|compared|versus|from|excluding|segment|adjusted|non-GAAP|margin|per|change|guidance|outlook|expect\w*|anticipat\w*|tax|taxes|reserve|before)\b)[^$€£¥;]){0,110}?`
const level = `${gap}(?:\\b(?:of|was|were|totaled|totalled|reached|amounted to|came in at|is|at)\\b|:)\\s*${about}`
const moved = `(?:(?!\\b(?:segment|adjusted|non-GAAP|margin|guidance|outlook|expect\\w*)\\b)[^$€£¥;]){0,90}?\\b(?:increased|decreased|grew|rose|declined|fell|improved|climbed|up|down)\\b(?:(?!\\bcompared\\b)[^;]){0,80}?(?<!\\b(?:compared|relative|similar|equal|prior) )\\bto ${about}`

const find = (subject: string, value: string) =>
  [level, moved].map(way => new RegExp(`${before}(${plain}${subject})${way}(${value})`, 'i'))

const revenue = find('(?:total |net |operating )?(?:revenues?|sales)(?:, net)?(?! per\\b)', amount)
const netIncome = find(
  'net (?:income|earnings|profit|loss)(?: \\((?:loss|income)\\))?(?! per\\b| margin\\b)',
  amount,
)
const ofShare = find(
  '(?:(?:fully )?diluted |basic and diluted |net )?(?:(?:earnings|income|loss|net income|net loss|net earnings)(?: \\(loss\\))? per (?:(?:fully |diluted |basic |and |common |ordinary |limited partner )*)(?:share|unit|ADS)(?:, diluted|, basic and diluted| \\(diluted\\))?|EPS)',
  perShare,
)
const sharesBeside = new RegExp(
  `(${perShare})(?: (?:in earnings|of earnings))? (?:per|a) ((?:fully |basic |diluted |and |common |ordinary )*)(?:share|unit)( on a (?:fully )?diluted basis)?`,
  'gi',
)

const ahead =
  /\b(?:expects?|expected|anticipates?|anticipated|forecasts?|projects?|guidance|outlook|targets?|targeting|estimates?|will be|to be)\b/i
const judged =
  /\b(?:revenues?|net sales|sales|earnings per (?:diluted )?share|EPS|net income|net loss|(?:adjusted )?EBITDA|operating income|free cash flow|capital expenditures)\b/i
/** An item of an outlook begins with its subject. */
const judgedFirst = new RegExp(`^.{0,40}?${judged.source}`, 'i')
const range = new RegExp(
  `(?:between |approximately |about |at least )?(?:${amount}(?: per (?:diluted )?share)?)(?: ?(?:to|and|–|—|-) ?(?:${amount}|\\d[\\d.,]*(?: ?(?:million|billion))?))?|\\d+(?:\\.\\d+)?%? ?(?:to|–|-) ?\\d+(?:\\.\\d+)?%`,
  'gi',
)
const earlier = /\b(?:from|previous|previously|prior|versus|compared (?:to|with)|plus or minus)[^.;]{0,60}$/i
const notOfItself =
  /forward-looking|pro forma|Private Securities|conference call|restructuring|consensus|analysts/i

/** After this point a release repeats its standard text, or its figures in tables. */
const theEnd =
  /^(?:about (?:the )?[A-Z]|(?:cautionary |safe harbor|forward[- ]looking)|(?:condensed |unaudited )*consolidated (?:condensed )?(?:statements?|balance|income)|(?:non-GAAP|use of non-GAAP|reconciliation|financial tables))/i
const bullet = /^[•●▪·*]\s*|^[-–—]\s+/
const isHeading = (line: string) => line.length < 120 && !/[.!?]["”’)]?$/.test(line)
const mostGuidance = 3
const longestSentence = 500

/** The first figure of each kind, because a release begins with the important ones; for guidance up to three. */
export function figuresIn(text: string): EventFigure[] {
  const found = new Map<EventFigure['what'], EventFigure>()
  const guidance = new Map<string, EventFigure>()
  const headlines: string[] = []
  let isOutlook = false
  for (const line of joinedLines(text)) {
    if (theEnd.test(line)) break
    const isItem = bullet.test(line) || (isOutlook && isHeading(line) && line.search(range) >= 0)
    if (isHeading(line) && !isItem) {
      const goesOn: boolean = line.endsWith(':') && (isOutlook || ahead.test(line))
      isOutlook = goesOn || /\b(?:outlook|guidance)\b/i.test(line)
      headlines.push(line)
      continue
    }
    for (const piece of piecesOf(line.replace(bullet, ''))) {
      const sentence = piece.slice(0, longestSentence)
      if (notOfItself.test(sentence)) continue
      if ((isOutlook && isItem) || ahead.test(sentence)) {
        const value = (ahead.test(sentence) ? judged : judgedFirst).test(sentence)
          ? guided(sentence)
          : undefined
        if (value && guidance.size < mostGuidance && !guidance.has(value))
          guidance.set(value, { what: 'guidance', value, sentence })
        continue
      }
      for (const figure of printed(sentence)) if (!found.has(figure.what)) found.set(figure.what, figure)
    }
    // The items after a colon belong to the text before it.
    if (!isItem) isOutlook = line.endsWith(':') && ahead.test(line)
  }
  for (const line of headlines)
    if (!ahead.test(line) && !notOfItself.test(line))
      for (const figure of printed(line)) if (!found.has(figure.what)) found.set(figure.what, figure)
  return [...withoutTwins(found), ...guidance.values()]
}

/** A loss and an income in one release belong to two periods: the first counts. */
function withoutTwins(found: Map<EventFigure['what'], EventFigure>): EventFigure[] {
  const told = [...found.values()]
  const first = (...names: EventFigure['what'][]) => told.find(({ what }) => names.includes(what))
  return [first('revenue'), first('net_income', 'net_loss'), first('eps', 'loss_per_share')].filter(
    figure => figure !== undefined,
  )
}

const otherBasis = /^,? ?(?:\(|on an? |as )?(?:non-GAAP|adjusted)\b/i
/** "$4 million to $5 million" is not a result. */
const isRange = /^ ?(?:to|–|-) ?[$€£]/

function* printed(sentence: string): Generator<EventFigure> {
  const match = (ways: readonly RegExp[]) => {
    for (const way of ways) {
      const found = way.exec(sentence)
      const after = found ? sentence.slice(found.index + found[0].length) : ''
      if (found && !isRange.test(after) && !otherBasis.test(after)) return { found, after }
    }
    return undefined
  }
  const sold = match(revenue)
  if (sold && !/^ (?:per|a) /.test(sold.after))
    yield { what: 'revenue', value: tidy(sold.found[2]), sentence }
  const earned = match(netIncome)
  const isLoss = /net loss(?! ?\()/i.test(earned?.found[1] ?? '')
  if (earned && !/^ (?:per|a) (?:\w+ )*(?:share|unit)/.test(earned.after)) {
    yield { what: isLoss ? 'net_loss' : 'net_income', value: tidy(earned.found[2]), sentence }
    const beside = besides(earned.after)
    if (beside)
      yield { what: isLoss && !/\(/.test(beside) ? 'loss_per_share' : 'eps', value: beside, sentence }
  }
  const perShare = match(ofShare)
  if (perShare) {
    const value = tidy(perShare.found[2])
    const lost = /\bloss\b(?!\))/i.test(perShare.found[1] ?? '') && !/\(/.test(value)
    yield { what: lost ? 'loss_per_share' : 'eps', value, sentence }
  }
}

/**
 * ", or $0.89 per share ($0.88 per share on a diluted basis)": the diluted value if both are there, and never one of
 * another period.
 */
function besides(after: string): string | undefined {
  const own = after.split(/\b(?:compared|versus|vs\.|from|against)\b/i)[0] ?? ''
  if (!/^,? ?(?:\(|or |and )/.test(own)) return undefined
  const all = [...own.slice(0, 160).matchAll(sharesBeside)].filter(
    ({ index, 0: whole }) => !otherBasis.test(own.slice(index + whole.length)),
  )
  const best = all.find(found => /diluted/i.test(`${found[2]} ${found[3] ?? ''}`)) ?? all[0]
  return best && tidy(best[1])
}

function guided(sentence: string): string | undefined {
  for (const found of sentence.matchAll(range))
    if (!earlier.test(sentence.slice(0, found.index))) return tidy(found[0])
  return undefined
}

const tidy = (value: string | undefined): string => (value ?? '').replace(/\s+/g, ' ').trim()
