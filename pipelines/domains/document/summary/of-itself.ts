/** Whether an English sentence shows by itself what it is about: it has a subject of its own, and its pronouns come after a noun. */

const isEnglish = /(?<![\p{L}])(?:the|of|and|is|was|for|with|has|have|are)(?![\p{L}])/iu
/** What stands for nothing that is named: it hangs on the sentence before. */
const loose =
  /^["'“‘(]{0,2}(?:perhaps|maybe|apparently|sounds|seems|looks|seeing|inside|outside|best|worse|better|bigger|greater|not only|not just|no matter|even|just|only|some|many|most|few|each|every|all|none|one|two|three|several|part|half|much|more|less|nothing|something|everything|somehow|somewhere|sometimes|today:|first:|in between|next|previously|earlier|later|elsewhere|without|because of|thanks to|easily|simply|why|how|what|when asked|asked|either|whatever|whether|like|unlike|similar)(?![\p{L}'’-])/iu
/** With these words of its own one of them stands: "many people in Esker". */
const counted =
  /^["'“‘]?(?:some|many|most|few|each|every|all|one|two|three|several|half|more|much|part) (?!of (?:it|them|this|that|these|those|the|its|their)\b)(?:(?:of|than|in) (?!it|them|this|that)|\p{Ll}{3,20}(?:s|en|le|ies)\s)/iu
const compared =
  /^(?:The|A|An)\s(?:next|greater|bigger|better|worse|larger|similar|different|further|same|other|latter|former|two|three|answer|difference|problem|trick|key|point|idea|technique|goal|reason|result|benefit|catch)(?![\p{L}’'-])/u
/** Without a verb that is bound to a person: "Creating a company." */
const verb =
  /(?<![\p{L}])(?:is|are|was|were|am|be|been|has|have|had|will|would|can|could|may|might|must|should|shall|do|does|did|said|says|\p{L}+n['’]t|\p{L}{1,}['’](?:s|re|ve|ll|d)|went|came|took|made|saw|won|lost|began|left|held|told|gave|got|led|met|ran|sent|set|hit|cut|fell|rose|grew|found|kept|paid|put|sold|stood|became|brought|broke|built|chose|drew|felt|knew|meant|spoke|spent|\p{L}{2,}ed|\p{Ll}{2,}s)(?![\p{L}])/u
const gerund = /^(?:Not )?\p{Lu}\p{Ll}{2,15}ing(?![\p{L}])/u
const bound =
  /(?<![\p{L}])(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|should|does|did|said|says|means?|meant|makes?|made|takes?|took|remains?|requires?|helps?|helped)(?![\p{L}])/u

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

const leaves = (text: string, pronoun: RegExp, before: RegExp): boolean => {
  const at = text.search(pronoun)
  return at >= 0 && !named.test(text.slice(0, at)) && !before.test(text.slice(0, at))
}

/** Of a text in another language nothing is known. */
export const itsOwnIn = (sentences: readonly { text: string }[]): ((text: string) => boolean) =>
  sentences.filter(({ text }) => isEnglish.test(text)).length > sentences.length / 2 ? isOfItself : () => true

function isOfItself(text: string): boolean {
  if ((loose.test(text) && !counted.test(text)) || compared.test(text)) return false
  if (!verb.test(text) || (gerund.test(text) && !bound.test(text))) return false
  return !leaves(text, plural, several) && (forNobody.test(text) || !leaves(text, single, noun))
}
