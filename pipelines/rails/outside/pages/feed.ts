/** A feed of news as a page: each entry is a heading with its text. */
import { decodeHTML } from 'entities/decode'

const isFeed =
  /^\uFEFF?\s{0,100}(?:<\?xml[^<>]{0,300}\?>\s{0,100})?(?:<!--[^<>]{0,500}-->\s{0,100}){0,5}<(?:rss|feed|rdf:RDF)[\s>]/i
const lookedAt = 4_000
const texts = /<(description|summary|content|content:encoded)(\s[^<>]{0,300})?>([^<]*)(?=<\/)/gi

/** Anything else stays as it is. */
export function feedAsPage(text: string): string {
  if (!isFeed.test(text.slice(0, lookedAt))) return text
  let titles = 0
  let title = ''
  const body = text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/^\uFEFF?\s*<\?xml[^<>]{0,300}\?>/, '')
    .replace(
      texts,
      (_, name: string, _more, inside: string) =>
        `<${name}>${/&lt;/.test(inside) ? decodeHTML(inside) : inside}`,
    )
    .replace(/<(\/?)title(?:\s[^<>]{0,300})?>([^<]*)/gi, (_, end: string, inside: string) => {
      if (end) return `</h2>${inside}`
      titles += 1
      if (titles === 1) title = inside
      return `<h2>${inside}`
    })
    .replace(/<(\/?)(?:item|entry)(?=[\s>])/gi, '<$1article')
    .replace(
      /<(\/?)(?:description|summary|content(?::encoded)?|pubDate|published|updated)(?=[\s>])/gi,
      '<$1div',
    )
    .replace(/<(\/?)link(?=[\s>])/gi, '<$1p')
  return `<html><head><title>${title.trim()}</title></head><body>${body}</body></html>`
}
