/** The sentences of an item that tell the news. */
import { sentencesOf } from './sentences.ts'

const boilerplate =
  /furnished|deemed ["“]?filed|incorporated (herein )?by reference|forward-looking|Section 18 of the|cop(y|ies) of .* (is|are) attached|foregoing (description|summary)|qualified in its entirety|shall not be|is (filed|attached|included) as Exhibit|non-GAAP|securities holders|\b(we|our|us)\b/i
const money = /[$€£¥]\s?\d|\b\d+(\.\d+)?\s?(%|percent\b|(million|billion)\b)/i
const act =
  /\b(entered into|completed|consummated|closed|appointed|elected|named|promoted|resign(s|ed)?|retire[ds]?|notified|departed|will (serve|succeed|join|become)|terminated|stepp(ed|ing) down|received (a |an |written )*(notice|notification|letter|deficiency)|concluded|detected|identified|approved|adopted|amended|declared|authorized|acquired|sold|issued|dismissed|engaged|transitioned|became|filed a voluntary|borrowed|announced)\b/i
const party =
  /\b(Chief \w+ Officer|President|Chair(man|woman|person)?|General Counsel|[Dd]irectors?|executive officers?|Nasdaq|New York Stock Exchange|NYSE)\b|\b(with|between|by and among|to) [A-Z][a-z]+/
const month = '(January|February|March|April|May|June|July|August|September|October|November|December)'
const date = new RegExp(`\\b${month} \\d{1,2}, \\d{4}`)

/** A sentence of this form repeats old news. */
const known =
  /^(As (previously|earlier|already) |Previously,? )|\bas previously (disclosed|reported|announced)\b/i

const longest = 350
const enough = 3

/** Undefined if no sentence says more than the title of the item. */
export function tellingSentence(body: string, mustHaveNumbers: boolean): string | undefined {
  let best: { text: string; score: number } | undefined
  for (const sentence of sentencesOf(body)) {
    if (isPassedOver(sentence) || (mustHaveNumbers && !money.test(sentence))) continue
    const text = tidy(sentence)
    const score =
      Number(money.test(text)) * 3 +
      Number(act.test(text)) * 3 +
      Number(party.test(text)) * 2 +
      Number(date.test(sentence)) -
      Number(text.length > longest) * 2
    if (score >= enough && score > (best?.score ?? 0)) best = { text, score }
  }
  return best?.text
}

/** The titles of items in the form. */
const title =
  /^(Entry into an? |Termination of an? |Bankruptcy or |Material (Cybersecurity|Impairment|Modification)|Completion of (an? )?Acq|Results of Op|Creation of an? |Triggering Ev|Costs Ass|Notice of Del|Unregistered Sal|Changes in (the )?(Reg|Control)|Non-Reliance|Departures? of |Amendments? to (the )?Art|Submission of|Regulation FD|Other Ev|Financial St)[^\d$]*\.$/

const isPassedOver = (sentence: string): boolean =>
  boilerplate.test(sentence) || known.test(sentence) || title.test(sentence)

const person = /\b(?:Mr|Ms|Mrs|Dr)\. [A-Z]|\b[A-Z][a-z]+ (?:[A-Z]\. )?[A-Z][a-z’'-]+/
const departs =
  /\b(resign(s|ed|ation)?|retire[ds]?|retirement|step(ped|ping|s)? down|depart(s|ed|ure)|not (to )?(stand|seek|run) for re-?election|not seek re-?election|ceased? to (be|serve)|removed|passed away|no longer serve|will (leave|depart)|terminated (the )?(employment|service))\b|\btermination of\b|\bemployment\b.{0,120}\b(will (terminate|end|cease)|terminated|ended|ceased)\b/i
const appoints = /\b(appoint(s|ed|ment)|elected|named|promoted|succeeds?|will (serve|become|join))\b/i

/** Terms of a contract are not events yet. */
const foreseen =
  /\bin the event (of|that)\b|\b(upon|following) (a|any|his|her|such|the) (qualifying )?termination\b|\b(would|will|shall|may) (also )?be (entitled|eligible)\b|\bif (he|she|Mr\.|Ms\.|Mrs\.|Dr\.|the executive|terminated)/i

/** The people who leave, then those who come, by name. */
export function changesOfPeople(body: string): string[] {
  const told = sentencesOf(body).filter(
    sentence => !isPassedOver(sentence) && !foreseen.test(sentence) && person.test(sentence),
  )
  const leaves = told.find(sentence => departs.test(sentence))
  const comes = told.find(sentence => sentence !== leaves && appoints.test(sentence))
  return [leaves, comes].filter(sentence => sentence !== undefined).map(tidy)
}

const proposal =
  /\bProposals?\s+(?:No\.?\s*|Number\s+|#)?(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)\b/gi
const numbered = /^\(?(\d{1,2})[.)]\s/gm
const lost = /\b(not approve|not approved|rejected|defeated|failed|did not (receive|pass))\b/i
const elected = /\b(nominees?|directors?)\b.*\belected\b|\belected\b.*\b(nominees?|directors?)\b/i

/** The number of proposals, and the most interesting results: a rejection, or an election. */
export function votesTold(body: string): string[] {
  const named = new Set([...body.matchAll(proposal)].map(([, number = '']) => number.toLowerCase()))
  const lines = new Set([...body.matchAll(numbered)].map(([, number]) => Number(number)))
  const count = named.size || (lines.has(1) && lines.has(lines.size) ? lines.size : 0)
  const sentences = sentencesOf(body, shortestVote).filter(sentence => !isPassedOver(sentence))
  const outcome =
    sentences.find(sentence => lost.test(sentence)) ?? sentences.find(sentence => elected.test(sentence))
  const best = outcome ?? tellingSentence(body, false)
  return [
    ...(count ? [`Shareholders voted on ${count} ${count > 1 ? 'proposals' : 'proposal'}.`] : []),
    ...(best ? [tidy(best)] : []),
  ]
}
const shortestVote = 20
const lead = new RegExp(
  `^(Effective )?([Oo]n|[Aa]s of|Effective) ${month} \\d{1,2}, \\d{4}( \\([^)]*\\))?,? `,
)
/** BOSTON, June 9, 2025 – */
const dateline = new RegExp(`^[A-Z][^–—]{2,60}${month} \\d{1,2}, \\d{4} ?(?:\\([A-Z ]+\\) ?)?[–—-]{1,2} `)
const letter = /^\((\w{1,3})\) /
/** Matches ", or the Board,". */
const definedAside = /, or (the |our )?([A-Z]\w+ ?){1,3},(?= [a-z])/g
const definedTerm =
  / ?\((?:(?:the|collectively|collectively,|each|each,|together|together,|an?) ){0,4}["“][^()]*["”]\)/g

function tidy(sentence: string): string {
  const text = sentence
    .replace(letter, '')
    .replace(dateline, '')
    .replace(definedTerm, '')
    .replace(definedAside, '')
    .replace(lead, '')
    .replace(/\.\.$/, '.')
    .replace(/\s+/g, ' ')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A sentence with this beginning has its news after the first clauses. */
const lateStart = /^(As|Following|In|Pursuant|Under|Effective|If|After|Upon|Prior|On|At|For|With) /

/** Cuts a sentence at the end of a clause. Undefined if too little would remain. */
export function shortened(sentence: string, most: number): string | undefined {
  if (sentence.length <= most) return sentence
  if (lateStart.test(sentence)) return undefined
  const head = sentence.slice(0, most - 1)
  const border = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '))
  return border < 40 ? undefined : `${head.slice(0, border)}…`
}

const period =
  '(?:(?:(?:fiscal )?(?:first|second|third|fourth)(?: fiscal)? quarter|fiscal quarter|quarter(?:ly period)?|(?:three|six|nine|twelve)(?: and (?:six|nine|twelve))? months)(?: and (?:(?:full )?(?:fiscal )?year|(?:six|nine|twelve) months|year to date))?|(?:full )?(?:fiscal )?year)'
const told = new RegExp(
  `\\b(?:for|of) (?:its|the|our) (${period}(?: (?:of )?fiscal(?: year)? \\d{4})?)(?: \\w+){0,3}? ended ${month} (\\d{1,2}), (\\d{4})`,
  'i',
)

/** Finds a period such as "for the first quarter ended March 31, 2026" in an item on results. */
export function periodTold(body: string): string | undefined {
  const found = told.exec(body)
  return found ? ` for the ${found[1]} ended ${found[2]} ${found[3]}, ${found[4]}` : undefined
}
