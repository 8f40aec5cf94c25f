/** Takes out signs that have no look of their own and can carry a hidden text: runs of joiners, of selectors, of tags. */

const joiners = /[\u200B-\u200D\u2060-\u2064\uFEFF]{2,}/g
const selectors = /[\u{E0100}-\u{E01EF}]{2,}/gu
/** A flag of a region is a black flag with tags. */
const tags = /\u{1F3F4}?[\u{E0000}-\u{E007F}]{1,100}/gu

export function withoutUnseenSigns(text: string): { text: string; count: number } {
  let count = 0
  const drop = (run: string): string => {
    count += [...run].length
    return ''
  }
  const kept = text
    .replace(joiners, drop)
    .replace(selectors, drop)
    .replace(tags, run => (run.startsWith('\u{1F3F4}') ? run : drop(run)))
  return { text: kept, count }
}
