/** Finds the one sentence of an item that has the news. */

const abbreviation =
  /(\b(Inc|Corp|Co|Ltd|No|Nos|Mr|Mrs|Ms|Dr|Jr|Sr|St|vs|Art|Sec|Messrs|Esq|L\.P|N\.A|U\.S|U\.K|S\.A|N\.V|P\.L\.C|L\.L\.C|i\.e|e\.g|a\.m|p\.m)|\b[A-Z])\.$/
const boilerplate =
  /furnished|deemed ["“]?filed|incorporated (herein )?by reference|forward-looking|Section 18 of the|cop(y|ies) of .* (is|are) attached|foregoing (description|summary)|qualified in its entirety|shall not be|is (filed|attached|included) as Exhibit|non-GAAP|securities holders|\b(we|our|us)\b/i
const money = /[$€£¥]\s?\d|\b\d+(\.\d+)?\s?(%|percent\b|(million|billion)\b)/i
const act =
  /\b(entered into|completed|consummated|closed|appointed|elected|named|promoted|resign(s|ed)?|retire[ds]?|notified|departed|will (serve|succeed|join|become)|terminated|stepp(ed|ing) down|received (a |an |written )*(notice|notification|letter|deficiency)|concluded|detected|identified|approved|adopted|amended|declared|authorized|acquired|sold|issued|dismissed|engaged|transitioned|became|filed a voluntary|borrowed|announced)\b/i
const party =
  /\b(Chief \w+ Officer|President|Chair(man|woman|person)?|General Counsel|[Dd]irectors?|executive officers?|Nasdaq|New York Stock Exchange|NYSE)\b|\b(with|between|by and among|to) [A-Z][a-z]+/
const month = '(January|February|March|April|May|June|July|August|September|October|November|December)'
const date = new RegExp(`\\b${month} \\d{1,2}, \\d{4}`)

/** Such a sentence repeats old news. */
const known = /^As (previously|earlier) |previously (disclosed|reported|announced)/i

const longest = 350
const enough = 3

/** Undefined: no sentence says more than the title of the item. */
export function tellingSentence(body: string, mustHaveNumbers: boolean): string | undefined {
  let best: { text: string; score: number } | undefined
  for (const sentence of sentencesOf(body)) {
    if (boilerplate.test(sentence) || (mustHaveNumbers && !money.test(sentence))) continue
    const text = tidy(sentence)
    const score =
      Number(money.test(text)) * 3 +
      Number(act.test(text)) * 3 +
      Number(party.test(text)) * 2 +
      Number(date.test(sentence)) -
      Number(text.length > longest) * 2 -
      Number(known.test(text)) * 3
    if (score >= enough && score > (best?.score ?? 0)) best = { text, score }
  }
  return best?.text
}

/**
 * Returns complete sentences only. Text without a capital at its start and a stop at its end is a table or a heading.
 */
function sentencesOf(body: string): string[] {
  return body.split('\n').flatMap(paragraph => {
    const sentences: string[] = []
    for (const piece of paragraph.split(/(?<=[.!?]["”’)]?)\s+(?=["“(]?[A-Z])/)) {
      const last = sentences.at(-1)
      if (last !== undefined && abbreviation.test(last)) sentences[sentences.length - 1] = `${last} ${piece}`
      else sentences.push(piece)
    }
    return sentences.filter(
      text => text.length >= 40 && /^["“(]?[A-Z(]/.test(text) && /[.!?]["”’)]?$/.test(text),
    )
  })
}

const lead = new RegExp(
  `^(Effective )?([Oo]n|[Aa]s of|Effective) ${month} \\d{1,2}, \\d{4}( \\([^)]*\\))?,? `,
)
const letter = /^\((\w{1,3})\) /
/** Matches ", or the Board,". */
const definedAside = /, or (the |our )?([A-Z]\w+ ?){1,3},(?= [a-z])/g
const definedTerm =
  / ?\((?:the |collectively,? (?:the )?|each,? an? |together,? (?:the )?|an? )*["“][^()]*["”]\)/g

function tidy(sentence: string): string {
  const text = sentence
    .replace(letter, '')
    .replace(definedTerm, '')
    .replace(definedAside, '')
    .replace(lead, '')
    .replace(/\.\.$/, '.')
    .replace(/\s+/g, ' ')
    .trim()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The news of such a sentence comes after its first clauses. */
const lateStart = /^(As|Following|In|Pursuant|Under|Effective|If|After|Upon|Prior|On|At|For|With) /

/** Cuts a sentence at the end of a clause. Undefined: too little would remain. */
export function shortened(sentence: string, most: number): string | undefined {
  if (sentence.length <= most) return sentence
  if (lateStart.test(sentence)) return undefined
  const head = sentence.slice(0, most - 1)
  const border = Math.max(head.lastIndexOf(', '), head.lastIndexOf('; '))
  return border < 40 ? undefined : `${head.slice(0, border)}…`
}

const quarter = new RegExp(
  `\\b(?:for|of) (?:its|the|our) ((?:fiscal )?(?:first|second|third|fourth)(?: fiscal)? quarter(?: (?:and (?:full )?(?:fiscal )?year|(?:of )?fiscal(?: year)? \\d{4}))?)(?: \\w+){0,3}? ended ${month} (\\d{1,2}), (\\d{4})`,
  'i',
)
const months = new RegExp(
  `\\bfor the ((?:three|six|nine|twelve) months(?: and (?:full |fiscal )?year)?|(?:fiscal )?year) ended ${month} (\\d{1,2}), (\\d{4})`,
  'i',
)

/** Finds a period such as "for the first quarter ended March 31, 2026" in an item on results. */
export function periodTold(body: string): string | undefined {
  const found = quarter.exec(body) ?? months.exec(body)
  return found ? ` for the ${found[1]} ended ${found[2]} ${found[3]}, ${found[4]}` : undefined
}
