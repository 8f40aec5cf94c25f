/** The tags of a page. Each letter is read once or twice. */

/** Reading more tags takes more time than a caller has. */
const mostTags = 250_000

interface Tag {
  /** In lower case. */
  name: string
  at: number
  /** The place after the tag. */
  end: number
  isEnd: boolean
  /** `<path/>` */
  isWhole: boolean
}

/** The parser of the document reads their content as text until their end tag. */
const raw = /^(?:script|style|textarea|title)\b/
const nameForm = /\/?[a-z][^\s/<>]*/iy

/** The tags outside of comments, scripts and the like. Throws if there are too many. */
export function* tagsOf(html: string): Generator<Tag> {
  let count = 0
  for (let at = html.indexOf('<'); at >= 0; ) {
    if (html.startsWith('<!--', at)) {
      at = next(html, '<', after(html, '-->', at + 4))
      continue
    }
    nameForm.lastIndex = at + 1
    const written = nameForm.exec(html)?.[0].toLowerCase()
    const isEnd = written?.startsWith('/') ?? false
    const name = (isEnd ? written?.slice(1) : written) ?? ''
    if (!isEnd && raw.test(name)) {
      const end = html.indexOf('>', at)
      at = end < 0 ? -1 : next(html, '<', endOfRaw(html, raw.exec(name)?.[0] as string, end))
      continue
    }
    const mark = bracket(html, at + 1)
    if (mark < 0) return
    if (name !== '' && html[mark] === '>') {
      if (++count > mostTags) throw new Error(`it has more than ${mostTags} tags`)
      yield { name, at, end: mark + 1, isEnd, isWhole: html[mark - 1] === '/' }
    }
    at = next(html, '<', mark)
  }
}

/** The first start tag of an element, at any place. */
export function tagIn(html: string, name: string): { at: number; end: number; text: string } | undefined {
  const at = new RegExp(`<${name}(?=[\\s>])`, 'i').exec(html)?.index ?? -1
  const end = at < 0 ? -1 : html.indexOf('>', at)
  return end < 0 ? undefined : { at, end: end + 1, text: html.slice(at, end + 1) }
}

/** Removes the tags whose name has this form. */
export function withoutTags(html: string, name: string): string {
  const kept: string[] = []
  const begins = new RegExp(`<${name}(?=[\\s>])`, 'gi')
  let from = 0
  for (let found = begins.exec(html); found; found = begins.exec(html)) {
    const end = html.indexOf('>', found.index)
    if (end < 0) break
    kept.push(html.slice(from, found.index))
    from = end + 1
    begins.lastIndex = from
  }
  return kept.join('') + html.slice(from)
}

const brackets = /[<>]/g

function bracket(html: string, from: number): number {
  brackets.lastIndex = from
  return brackets.exec(html)?.index ?? -1
}

function endOfRaw(html: string, name: string, from: number): number {
  const form = new RegExp(`</${name}\\s*>`, 'gi')
  form.lastIndex = from
  return form.exec(html) ? form.lastIndex : html.length
}

const next = (html: string, mark: string, from: number): number => html.indexOf(mark, from)

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}
