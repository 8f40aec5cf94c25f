/** The images of a product: absolute addresses as the page writes them, the best first. */
import { decoded } from '../../rails/formats/percent.ts'

const most = 5
const longest = 2_000

const notOfProduct =
  /(?:^|[/._-])(?:pixel|spacer|blank|transparent|tracking|beacon|sprite|placeholder|loading|loader|spinner|logo|favicon|1x1|noimage|no-image|no_image)(?:[/._-]|$)|\/(?:tr|collect|pixel|beacon)(?:\?|$)|facebook\.com\/tr|doubleclick\.net|google-analytics/i

export function chosenImages(urls: Iterable<string>): string[] {
  const chosen = new Map<string, string>()
  let looked = 0
  for (const written of urls) {
    if (++looked > 500 || chosen.size >= most) break
    const url = written.trim()
    if (!/^https?:\/\/[^\s"'<>]+$/i.test(url) || url.length > longest || !URL.canParse(url)) continue
    if (notOfProduct.test(url)) continue
    const picture = pictureOf(url)
    if (!chosen.has(picture)) chosen.set(picture, url)
  }
  return [...chosen.values()]
}

/** One picture in several sizes counts as one. */
const pictureOf = (url: string): string =>
  decoded(new URL(url).pathname)
    .toLowerCase()
    .replace(/\._[a-z0-9,_-]+_(?=\.)/g, '')
    .replace(/[_-]?(?:\d{2,4}x\d{0,4}|x\d{2,4})(?=[./_-]|$)/g, '')
    .replace(
      /[_-](?:small|medium|large|thumb|thumbnail|grande|master|xl|xs|mini|zoom|big|[sml])(?=\.[a-z]+$)/g,
      '',
    )
    .replace(/\/(?:w|h|c|s|rx|width|height|size)[_-]?\d+[^/]*(?=\/)/g, '')
