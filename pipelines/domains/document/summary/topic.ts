/** Whether a sentence tells of what its text tells of: a word that the text uses most stands before the verb. */
import type { Ranked } from './ranking.ts'
import { wordsOf } from './words.ts'

/** Words of any text. Shorter ones say little. */
const common =
  /^(?:all|and|any|are|but|can|did|few|for|get|had|has|her|him|his|how|its|lot|may|not|now|off|one|our|out|own|see|set|she|the|too|two|use|was|way|who|why|yes|you|about|after|again|also|another|around|because|been|before|being|best|between|both|came|come|could|days?|does|down|each|either|else|even|ever|every|find|first|from|gets?|give|going|good|great|have|having|helps?|here|into|it['’]s|just|keep|know|last|less|like|long|look|made|makes?|making|many|more|most|much|must|need|never|next|often|once|only|other|over|people|part|same|says?|said|several|should|since|some|still|such|take|than|that|their|them|then|there|these|they|thing|things|think|this|those|three|through|times?|under|until|used|uses?|using|very|want|ways?|well|went|were|what|when|where|which|while|will|with|within|without|work|would|years?|your|you['’]re)$/
const shortest = 3
/** A shorter text repeats little. */
const leastSentences = 10
const [mostWords, leastCount] = [15, 2]

/** "You can" tells of nothing. */
export const tellsOfSomething = (head: string | undefined): boolean =>
  head !== undefined && wordsOf(head).some(word => says(word.toLowerCase()) || /^\p{Lu}.*\p{Lu}/u.test(word))

export function topicOf(sentences: readonly Ranked[]): (head: string | undefined) => boolean {
  if (sentences.length < leastSentences) return tellsOfSomething
  const counts = new Map<string, number>()
  for (const { words } of sentences)
    for (const word of new Set([...words].map(stem)))
      if (says(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  const least = [...counts.values()].sort((a, b) => b - a)[mostWords - 1] ?? leastCount
  return head =>
    head !== undefined &&
    wordsOf(head).some(word => (counts.get(stem(word.toLowerCase())) ?? 0) >= Math.max(least, leastCount))
}

const says = (word: string): boolean => word.length >= shortest && !common.test(word)
const stem = (word: string): string => word.replace(/['’]s$|(?<=[^s])s$/, '')
