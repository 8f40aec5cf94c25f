/** Takes out signs that have no look of their own and can carry a hidden text: runs of joiners, of selectors, of tags. */

const joiners = /[\u200B-\u200D\u2060-\u2064\uFEFF]{2,}/g
const selectors = /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{2,}/gu
/** A flag of a region is a black flag, the letters of the region, and an end. Any other tag is no part of a sign. */
const tags = /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F})|[\u{E0000}-\u{E007F}]/gu

export function withoutUnseenSigns(text: string): { text: string; count: number } {
  let count = 0
  const drop = (run: string): string => {
    count += [...run].length
    return ''
  }
  const kept = text
    .replace(joiners, drop)
    .replace(selectors, drop)
    .replace(tags, (run, flag?: string) => flag ?? drop(run))
  return { text: kept, count }
}
