/** Whether a sentence says the same without those around it. */
import { mainClauseOf } from './clause.ts'

/** After it the word ends, or it is contracted: `It's`. */
const ends = `(?:['’](?:s|re|d|ll|ve|m))?(?![\\p{L}\\p{N}'’-])`
/** It goes on from what was said before, or speaks of somebody whom another sentence names. */
const words = [
  'however|though|but|and|or|nor|so|yet|whereas|ultimately|alternatively|in short|in sum|in all|overall|especially|particularly|combined with|case in point|also|too|plus|by contrast|by comparison|at first|for one|moreover|furthermore|therefore|thus|hence|nevertheless|nonetheless|instead|meanwhile|otherwise|besides|then|now|still|again|likewise|similarly|consequently|indeed|anyway|either way|of course|even so|because|soon|afterwards?|since then|until now|shortly (?:after|before)',
  'after that|before that|at that|by then|until then|as a result|as such|despite (?:this|that)|given (?:this|that)|beyond that|for (?:example|instance|this|that)|in (?:addition|contrast|fact|turn|other words|any case|that|this)|on the (?:other|contrary)|to (?:that|this)|that said|at the same time|by (?:this|that) (?:time|point)|the (?:next|following) (?:day|week|month|year|morning)|(?:a|\\p{L}+)(?: few| couple of)? (?:minute|hour|day|week|month|year|decade)s? (?:later|earlier)',
  'which|who|whose|where|he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|such|both|neither|either|the (?:former|latter|two|three|other|others|same|only|reason|result|answer|difference)|one of (?:them|these|those)|another|others|some of|most of them|none of them|all (?:of )?(?:this|that|them|these|those)|if (?:not|so)|here|there|yes|no|well|oh|ah|hey|hi|wow|ok|okay|as for|as (?:noted|mentioned|said|indicated)',
  '(?:if|when|while|as|although|though|unless|once|since|after|before|until|for|with|without|by|from|in|on|at|of|like|unlike) (?:he|she|it|they|this|that|these|those|him|her|them|their|his|its)',
  'jedoch|aber|und|doch|dann|er|sie|es|dieser?|diese[ns]?|außerdem|deshalb|trotzdem|mais|et|donc|il|elle|ils|elles|cette?|cependant|ainsi|ensuite|pero|y|sin embargo|además|él|ella|ellos|este|esta|eso|por eso|ma|però|tuttavia|inoltre|si tratta|quest[oaie]|lui|lei|loro|mas|porém|ele|ela|eles|elas|iss?o|ess[ae]|além disso',
].join('|')
const leans = new RegExp(`^["'“”‘’«»([\\s*]*(?:${words})${ends}`, 'iu')
/** The same in other languages. */
const leansElsewhere =
  /^["'“”‘’«»([\s*]{0,9}(?:auch|hier|dort|damit|dabei|dazu|daher|darum|dadurch|danach|zudem|allerdings|nun|denn|sprich|zum beispiel|beispielsweise|ihre?|seine?|par exemple|en effet|en outre|de plus|par ailleurs|toutefois|pourtant|car|puis|leurs?|ses|por ejemplo|también|asimismo|entonces|luego|sus?|per esempio|por exemplo|но|однако|он|она|они|оно|это|этот|эта|эти|его|её|ее|их|также|поэтому|кроме того|при этом|затем|тогда|там|здесь|например)(?![\p{L}\p{N}'’-])/iu
/** What follows is not there, and neither is the page or the day. */
const pointsAway =
  /\bthis (?:[\p{L}'’-]{1,20} )?(?:article|guide|post|page|blog|section|chapter|tutorial|review|list|thread|site|website)\b|\b(?:tables?|lists?|sections?|figures?|charts?|examples?|options|steps|listed|shown|described|mentioned|see|seen) (?:below|above|here)\b|\bthe (?:above|below)\b|\b(?:above|below)[,.:;]|\b(?:earlier|previous) (?:example|section|chapter|step|post|article)s?\b|\byou (?:remember|recall)\b|\bas you (?:can|may|will) (?:see|know|notice)\b|\b(?:the following|as follows|(?:that|this) (?:day|moment|time|point|year|way|reason|end|approach|number|figure|direction|sense|regard|respect))\b|次の通り|次のとおり|以下の|如下/iu
/** Without a space behind them: Japanese, Chinese, Korean. */
const leansInAsia =
  /^["'“”‘’「『（(\s]{0,3}(?:そのため|しかし|また|さらに|なお|ただし|だから|そして|それ|これ|この|その|あの|こう|そう|一方|ちなみに|つまり|例えば|たとえば|もちろん|でも|彼|同社|同氏|但(?!丁)|然而|因此|所以|而|此外|他|她|它|这|那(?!不勒斯)|该|同时|另外|不过|其|也(?!门)|例如|随后|之后|그러나|하지만|그리고|또한|이는|그는|그녀|이에|따라서|한편|그런데|예를 들어)/u
/** "Strikingly, he" leans as "he" does. */
const opening = /^["'“”‘’«\s]{0,3}\p{L}{2,20}ly,\s/u
/** It ends with what it does not name: "The board paid for it." A longer one has mostly named it before. */
const endsAway = /\s(?:it|them|him|this|that|these|those)[.!]["'”’)]{0,3}$/i
const endsWithThat = /\s(?:this|that|these|those)\s\p{L}{1,20}[.!]["'”’)]{0,3}$/iu
const mostBrief = 80
/** Further on, most sentences have told what "that day" is. */
const mostPointed = 90
/** From a place that the sentence before it names, or set against it. */
const placed = /^(?:from|in|up|down) (?:here|there|between|the process)\b|^(?:along the way|rather),/i
/** Than those that were told of. */
const more =
  /^(?:there (?:is|are|was|were) (?:(?:also|still|many|several|some|two|three|no) )?)?(?:other|another|further|additional)(?![\p{L}])|^[^,;:]{1,40}\sof such(?![\p{L}])(?! (?:an?|\p{L}+s)\b)/iu
const bareThis =
  /\s(?:of|to|by|for|with|from|in|on|about|like|than|behind|after|doing|all) (?:this|that|these|those)(?:,|\s(?:is|are|was|were|will|has|have|had|would|can|could|means?)(?![\p{L}]))|[,;]\s(?:and |but )?(?:this|that|these|those) (?:is|was|are|were)(?![\p{L}])|\s(?:this|these|those) (?:is|was|are|were|will|has|would|can|could|may|means?|makes?|gives?)(?![\p{L}])|(?<![\p{L}])here(?![\p{L}])/iu
/** "It" for nobody, and what shows its own subject. */
const standsAnyway =
  /^(?:it (?:is|was|will be|has been) (?:(?!(?:an?|the|his|her|their|its|this|that)\b)\p{L}+ ){1,2}(?:that|to)\b|there (?:is|are|was|were|will)\b|the same\b)/iu
/** The same within a sentence: it sets it against another one. */
const inside =
  /^[^,;:]{1,80}\s(?:is|are|was|were|has|have|had|will|would|can|could|do|does|did) (?:instead(?! of)|therefore|thus|however|nevertheless|nonetheless)\b|^[^,;:]{1,80},\s?(?:however|though|therefore|meanwhile|instead|moreover|nevertheless|nonetheless|too|for (?:example|instance)|in turn|on the other hand)\b|,\s?(?:too|though|either|as well|however)[.!]["'”’)]*$/i
/** To what was said before. */
const adds =
  /\s(?:also|then|as well(?! as)|too[.,]|at the time(?! of)|by contrast|by comparison|another|the same(?! \p{L}{1,20} as )|the (?:two |three )?other|(?:do|did|does|doing|done) (?:so|that|this|it))(?![\p{L}])/iu
const first = /^["'“”‘’«»\s]*(?:I|we|my|our|let['’]s)(?:['’](?:s|re|d|ll|ve|m))?(?![\p{L}\p{N}-])/iu
const denial =
  /\b(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed)|refut(?:e|es|ed)|reject(?:s|ed)? (?:the|these|those|that|any|all)|(?:calls?|called) (?:it|this|that|the \p{L}+) (?:false|untrue|baseless|a lie)|(?:is|was|are|were) (?:false|untrue|not true|baseless|unfounded)|no evidence|pleaded not guilty|maintains? (?:his|her|their) innocence)\b/iu

/** "I" is nobody, unless it is said by one who is quoted. */
const self = /(?<![\p{L}'’&-])(?:[Ii]|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Uu]s|[Oo]urs?)(?![\p{L}&-])/u
const outsideQuotes = (text: string): string =>
  text
    .split(/[“”"«»]/)
    .filter((_, i) => i % 2 === 0)
    .join(' ')

/** An order to the reader, a mark of who speaks or of a place in a list, a look at what is not in the text. */
const order =
  /^["'“‘]{0,1}(?:please |just |now |always |never |first |do not |don['’]t )?(?:add|allow|apply|ask|avoid|be|bring|browse|build|buy|call|carry|check|change|choose|click|combine|compare|complete|connect|contact|create|discover|don['’]t|drink|email|e-mail|consider|download|edit:|enable|engage|ensure|enter|examine|experience|experiment|extend|feel|explore|enjoy|find|follow|get|give|go|grab|happy|have a|hold|imagine|import|join|keep|learn|let|listen|look|leave|make|manage|maximi[sz]e|meet|move|narrow|navigate|note|notice|open|order|pick|place|plan|prepare|press|print|punch|put|read|receive|remember|remove|rest|run|save|say|scroll|see|select|send|show|set|shop|sign|skip|stand|start|stay|stop|take|tap|tell|thank|thanks|think|treat|try|turn|type|update:|use|visit|wait|want|watch|welcome|write)(?!['’\p{L}-])(?!\s(?:is|was|are|were|has|have|will|can|of|the \p{L}+ (?:is|was))\b)/iu
/** Who speaks, or a place in a list. A text may begin with a place: "ESKER: …". */
export const isLabelled = (text: string): boolean => label.test(text)
const label =
  /^(?:\p{Lu}[\p{Lu}\s.]{1,30}|[^:.,]{1,40})(?:\s?:|\s[–—-])\s\P{Ll}|^\p{L}[\p{L} ]{1,20}\s[–—-]\s/u
const inList = /^(?:[([]?(?:\d{1,2}|[a-z])[.)\]]\s|#\d|[ivx]{1,4}[.)]\s)/
const shows = /^(?:here (?:is|are)|here['’]s|below(?:,|:| (?:is|are|you)))(?!\p{L})/iu

/** Nothing before it mends it. */
export const isOutOfPlace = (text: string): boolean =>
  /[?？]["'”’)]*$/.test(text) ||
  order.test(text) ||
  order.test(mainClauseOf(text)) ||
  inList.test(text) ||
  shows.test(text) ||
  pointsAway.test(text.slice(0, mostPointed)) ||
  yeah.test(text) ||
  /^[([]/.test(text) ||
  (text.length < mostCredit && credit.test(text) && wrote.test(text)) ||
  cut.test(text) ||
  speaksOfItself(text) ||
  (text.length < shortest && !/[\u2E80-\uFFFF]/.test(text))
/** A line about its author. */
const credit = /\sis (?:an?|the)\s/
const wrote =
  /\s(?:writer|reporter|editor|journalist|author|blogger|correspondent|contributor|columnist)s?[\s.,]/i
const mostCredit = 110
/** A teaser ends so, and what is so short tells nothing by itself. */
const cut = /(?:\.\.|…)["'”’)\]]*$/
const shortest = 36
const yeah =
  /^(?:yeah|yep|nope|sure|right|yikes|ugh|whew|lol|omg|edit|update|spoiler|disclaimer|caption|related)(?![\p{L}'’-])/iu

export const isDenial = (text: string): boolean => denial.test(text)

/** Nothing in a summary tells who "I" and "we" are. */
const speaksOfItself = (text: string): boolean => first.test(text) || self.test(outsideQuotes(text))

export const leansOnOthers = (text: string): boolean =>
  leansAtFirst(text.replace(opening, '')) ||
  pointsAway.test(text.slice(0, mostPointed)) ||
  (text.length <= mostBrief && (endsAway.test(text) || endsWithThat.test(text))) ||
  leansInAsia.test(text) ||
  /^.{0,14}(?:この|その(?!ため)|これ|それ)/u.test(text) ||
  placed.test(text) ||
  more.test(text) ||
  bareThis.test(text) ||
  inside.test(text) ||
  adds.test(text.slice(0, mostPointed)) ||
  isBareQuote(text) ||
  saidBySomebody.test(text) ||
  speaksOfSomebody(text) ||
  /[?？]["'”’)]*$/.test(text)

const leansAtFirst = (text: string): boolean =>
  (leans.test(text) && !standsAnyway.test(text)) || leansElsewhere.test(text)

/** Whoever said it is named elsewhere. */
const saidBySomebody =
  /(?:["”»]|,)\s(?:he|she|they|it)\s(?:said|says|asked|wrote|writes|tweeted|told|adds|added|continued|explained)\b/i

/** Nobody is told who says it. */
const isBareQuote = (text: string): boolean =>
  /^(?:“[^“”]{0,600}”|"[^"]{0,600}"|«[^«»]{0,600}»)(?:$|\s?[–—-]\s)/.test(text)

const somebody = /(?<![\p{L}'’])(?:he|she|him|his|her|hers|himself|herself)(?![\p{L}'’-])/u
/** A name within a sentence, or a word for a person. The first word has a capital in any case. */
const named = /\S\s\P{L}{0,3}\p{Lu}\p{L}|^\P{L}{0,3}\p{Lu}\p{L}+['’]s\s/u
const person =
  /^(?:man|woman|girl|boy|child|baby|wife|husband|mother|father|son|daughter|person|victim|suspect|king|queen|chief|friend|nobody|everyone|somebody|who)$/i
const role = /(?:er|or|ist|ian|ant|ent|man)$/
const article = /^(?:an?|the|one|every|each|no|another)$/i
/** The name of one who is told of alone. */
const firstName = /^\P{L}{0,3}\p{Lu}\p{Ll}+\s(?:\p{Ll}+(?:s|ed|ld|t)|is|was|has|had|will|and)\s/u

/** It says "he" or "she" before it names anybody. */
function speaksOfSomebody(text: string): boolean {
  const at = text.search(somebody)
  if (at < 0) return false
  const before = text.slice(0, at)
  return !named.test(before) && !tellsOfPerson(before) && !firstName.test(before)
}

/** A word for a person, or what may be one after an article: "the old keeper". */
function tellsOfPerson(text: string): boolean {
  const words = text.split(/[^\p{L}’'-]+/u)
  return words.some(
    (word, i) =>
      person.test(word) ||
      (role.test(word) && words.slice(Math.max(0, i - 3), i).some(each => article.test(each))),
  )
}

/** Whatever is opened in it is closed in it. */
export function isClosed(text: string): boolean {
  const count = (sign: string): number => text.split(sign).length - 1
  const pairs = ['“”', '«»', '()', '[]', '「」', '『』', '（）']
  return pairs.every(([open = '', close = '']) => count(open) === count(close)) && count('"') % 2 === 0
}
