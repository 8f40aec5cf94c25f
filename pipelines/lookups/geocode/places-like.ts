/** Places of the US whose name or ZIP begins as somebody has begun to write it: those with the most ZIPs first, about the largest. */
import { lineAt, middleOf, nameKey, placeOf, placesText, type UsPlace } from './us-places.ts'

/** A name that begins with two letters may be one of some thousand. */
const mostSeen = 4000
const leastLetters = 2

export function placesLike(begun: string, most: number): UsPlace[] {
  const asked = begun.slice(0, 60).trim()
  if (/^\d{3,5}$/.test(asked)) return zipsLike(asked, most)
  if (/\d/.test(asked)) return []
  const [name = '', state] = splitAtComma(asked)
  const key = nameKey(name)
  if (key.length < leastLetters) return []
  const found: { place: UsPlace; zips: number }[] = []
  const prefix = `\n${key}${state === undefined ? '' : `|${state}`}`
  let at = placesText().indexOf(prefix)
  for (let seen = 0; at >= 0 && seen < mostSeen && placesText().startsWith(prefix, at); seen++) {
    const line = lineAt(at + 1)
    found.push({
      place: placeOf(line, middleOf(line.zips), `${line.city}, ${line.state}`),
      zips: line.zips.length,
    })
    at = placesText().indexOf('\n', at + 1)
  }
  return found
    .toSorted((a, b) => b.zips - a.zips)
    .slice(0, most)
    .map(({ place }) => place)
}

/** What stands behind a comma begins the name of a state by its code. */
function splitAtComma(text: string): [name: string, state?: string] {
  const at = text.lastIndexOf(',')
  const state = text
    .slice(at + 1)
    .trim()
    .toUpperCase()
  return at < 0 || !/^[A-Z]{0,2}$/.test(state) ? [text] : [text.slice(0, at), state]
}

function zipsLike(digits: string, most: number): UsPlace[] {
  const found: UsPlace[] = []
  for (const before of [':', ' ']) {
    let at = placesText().indexOf(before + digits)
    while (at >= 0 && found.length < most) {
      const zip = placesText().slice(at + 1, at + 6)
      const line = lineAt(at)
      const middle = line.zips.find(each => each.zip === zip)
      if (middle) found.push(placeOf(line, middle, `${line.city}, ${line.state} ${zip}`))
      at = placesText().indexOf(before + digits, at + 1)
    }
  }
  return found.slice(0, most)
}
