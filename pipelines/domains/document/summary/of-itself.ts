/** Whether an English sentence shows by itself what it is about: it has a subject of its own, and its pronouns come after a noun. */

import { hasMainClause, opens } from './clause.ts'

const english = /^(?:the|of|and|to|is|was|are|for|with|that|this|you|your|has|have|by|at)$/i
/** Danish has "for", "at" and "by", too, and its pages often a line of English. */
const foreign =
  /^(?:der|die|das|und|ist|ein|eine|den|dem|im|zu|von|mit|auf|nicht|sie|er|het|een|en|og|det|på|af|av|som|til|att|och|är|ikke|inte|le|la|les|des|du|est|une|et|que|pour|dans|el|los|las|y|del|se|por|con|il|di|che|per|non|um|uma|o|os|em|não)$/i
/** What stands for nothing that is named: it hangs on the sentence before. */
const loose =
  /^["'“‘(]{0,2}(?:perhaps|maybe|apparently|sounds|seems|looks|seeing|inside|outside|best|worse|better|bigger|greater|not only|not just|no matter|even|just|only|some|many|most|few|each|every|all|none|one|two|three|several|part|half|much|more|less|nothing|something|everything|somehow|somewhere|sometimes|today:|first:|in between|next|previously|earlier|later|elsewhere|without|because of|thanks to|easily|simply|why|how|what|when asked|asked|either|whatever|whether|like|unlike|similar)(?![\p{L}'’-])/iu
/** With these words of its own one of them stands: "many people in Esker". */
const counted =
  /^["'“‘]?(?:some|many|most|few|each|every|all|two|three|several|half|more|much|part) (?!of (?:it|them|this|that|these|those|the|its|their)\b)(?:(?:of|than|in) (?!it|them|this|that)|\p{Ll}{3,20}(?:s|en|le|ies)\s)/iu
const compared =
  /^(?:The|A|An)\s(?:next|greater|bigger|better|worse|larger|similar|different|further|same|other|latter|former|two|three|answer|difference|problem|trick|key|point|idea|technique|goal|reason|result|benefit|catch)(?![\p{L}’'-])/u
const plural = /(?<![\p{L}’'])(?:they|them|their|theirs|themselves)(?![\p{L}-])/iu
const single = /(?<![\p{L}’'])(?:it|its|itself)(?![\p{L}-])/iu
/** "It" for nobody. */
const forNobody =
  /(?<![\p{L}])it(?:['’]s| is| was| will be| would be| has been| seems| appears| takes| took| makes sense) (?!(?:a|an|the)\b)\p{L}+(?: \p{L}+)? (?:to|that|for|whether|how|when)(?![\p{L}])/iu
const several =
  /\p{Ll}s(?![\p{L}’'])|(?<![\p{L}])(?:people|men|women|children|police|team|family|group|someone|anyone|everyone|somebody|anybody|everybody|each|nobody|who|staff|couple|public|committee|company|board)(?![\p{L}])|\sand\s/u
const named =
  /\S\s\P{L}{0,3}\p{Lu}[\p{L}]|^\P{L}{0,3}(?!The|A|An|In|On|At|For|With|By|As|One|If|When|While|Part|But|And|So|To|Of|From|After|Before|Since|Though|Although|Once|Because|Despite|How|What|Why|Where|Now|Then)\p{Lu}[\p{L}’']+/u
const noun = /(?<![\p{L}])(?:an?|the|each|every|this|another|\p{L}+['’]s|\p{L}+s)\s\p{Ll}{3,}/iu

const leaves = (text: string, pronoun: RegExp, ...before: RegExp[]): boolean => {
  const at = text.search(pronoun)
  return at >= 0 && !before.some(each => each.test(text.slice(0, at)))
}

/** Of a text in another language nothing is known, nor of one that is half in it. */
export function areEnglish(sentences: readonly { text: string }[]): boolean {
  const words = sentences.flatMap(({ text }) => text.split(/\s+/))
  const count = (of: RegExp): number => words.filter(word => of.test(word)).length
  return count(english) > Math.max(words.length * leastEnglish, count(foreign) * majority)
}
const [leastEnglish, majority] = [0.08, 2]

export function isOfItself(text: string): boolean {
  if ((loose.test(text) && !counted.test(text)) || compared.test(text)) return false
  if (onlyPronoun(text)) return false
  return !leaves(text, plural, several) && (forNobody.test(text) || !leaves(text, single, named, noun))
}

/** "Made of steel, it lasts": what stands before the comma names nothing. */
function onlyPronoun(text: string): boolean {
  const at = text.search(/(?:,|\s?[—–])\s?(?:it|they|he|she)(?:['’]|\s)/i)
  return (
    at > 0 &&
    !opens.test(text.split(/\s/, 1)[0] ?? '') &&
    !hasMainClause(text.slice(0, at)) &&
    !/it(?:['’]s| is| was) \p{L}+ (?:to|that)(?!\p{L})/iu.test(text.slice(at, at + 60))
  )
}
