/** Whether a sentence says the same without those around it. */

/** It goes on from what was said before, or speaks of somebody whom another sentence names. */
const leans =
  /^["'“”‘’«»([\s]*(?:however|but|and|or|nor|so|yet|also|too|moreover|furthermore|therefore|thus|hence|nevertheless|nonetheless|instead|meanwhile|otherwise|besides|then|still|again|likewise|similarly|consequently|indeed|even so|after that|before that|at that|by then|until then|as a result|as such|for (?:example|instance|this|that)|in (?:addition|contrast|fact|turn|other words|that|this)|on the (?:other|contrary)|to (?:that|this)|that said|because|which|who|whose|where|he|she|it|they|him|her|them|his|hers|its|their|theirs|this|that|these|those|such|both|neither|either|the (?:former|latter|two|three|other|others|same)|one of (?:them|these|those)|another|others|some of|most of them|here|there|yes|no|well|jedoch|aber|und|doch|dann|er|sie|es|dieser?|diese[ns]?|mais|et|donc|il|elle|ils|elles|cette|cependant|pero|y|sin embargo|él|ella|ellos|este|esta|eso)(?![\p{L}\p{N}'’-])/iu
/** "It" for nobody, and what shows its own subject. */
const standsAnyway =
  /^(?:it (?:is|was|will be|has been) (?:\p{L}+ ){0,2}(?:that|to)\b|there (?:is|are|was|were|will)\b|the same\b)/iu
const first = /^["'“”‘’«»\s]*(?:I|we|my|our|you|your|let['’]s)(?![\p{L}\p{N}-])/iu
const denial =
  /\b(?:den(?:y|ies|ied|ying)|disput(?:e|es|ed)|refut(?:e|es|ed)|reject(?:s|ed)? (?:the|these|those|that|any|all)|(?:calls?|called) (?:it|this|that|the \p{L}+) (?:false|untrue|baseless|a lie)|(?:is|was|are|were) (?:false|untrue|not true|baseless|unfounded)|no evidence|pleaded not guilty|maintains? (?:his|her|their) innocence)\b/iu

export const isDenial = (text: string): boolean => denial.test(text)

export const leansOnOthers = (text: string): boolean =>
  (leans.test(text) && !standsAnyway.test(text)) || first.test(text) || /[?？]["'”’)]*$/.test(text)

/** Whatever is opened in it is closed in it. */
export function isClosed(text: string): boolean {
  const count = (sign: string): number => text.split(sign).length - 1
  const pairs = ['“”', '«»', '()', '[]', '「」', '『』', '（）']
  return pairs.every(([open = '', close = '']) => count(open) === count(close)) && count('"') % 2 === 0
}
