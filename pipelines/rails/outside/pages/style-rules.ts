/** The styles of a static page: what an attribute declares, and the rules of its style elements for one class or id. */

const mostStyle = 1_000

export type Declarations = ReadonlyMap<string, string>

export function declarationsIn(style: string): Declarations {
  const all = new Map<string, string>()
  for (const declaration of style.slice(0, mostStyle).toLowerCase().split(';')) {
    const at = declaration.indexOf(':')
    if (at < 0) continue
    const value = declaration.slice(at + 1).replace('!important', '')
    all.set(declaration.slice(0, at).trim(), value.trim())
  }
  return all
}

const styleElement = /<style(?=[\s>])[^<>]{0,300}>([^<]*)/gi
const [mostRules, mostNames] = [20_000, 500]
const alone = /^([.#][a-z_][\w-]{0,80})$/i
/** The last of its elements has only this name, and perhaps a tag. */
const atLast = /(?:^|[\s>+~])(?:[a-z][a-z\d]{0,12})?([.#][a-z_][\w-]{0,80})$/i

/**
 * The classes and ids whose rule, for every screen, is judged as something: `.class` and `#id`. With `anywhere` the rule may
 * name what is around the element; otherwise it names nothing else.
 */
export function judgedNames<T>(
  html: string,
  judge: (style: Declarations) => T | undefined,
  { anywhere = false } = {},
): Map<string, T> {
  const found = new Map<string, T>()
  let rules = 0
  for (const [, css = ''] of html.matchAll(styleElement)) {
    let depth = 0
    let selector = ''
    for (const piece of withoutComments(css).split(/(?<=[{}])/)) {
      if (rules++ > mostRules || found.size > mostNames) return found
      const text = piece.slice(0, -1)
      if (piece.endsWith('{')) {
        depth += 1
        selector = depth === 1 ? text : ''
      } else if (piece.endsWith('}')) {
        const judged = depth === 1 ? judge(declarationsIn(text)) : undefined
        if (judged !== undefined)
          for (const name of namesIn(selector, anywhere ? atLast : alone)) found.set(name, judged)
        depth = Math.max(0, depth - 1)
        selector = ''
      }
    }
  }
  return found
}

const withoutComments = (css: string): string =>
  css
    .split('*/')
    .map(part => (part.includes('/*') ? part.slice(0, part.indexOf('/*')) : part))
    .join('')

const namesIn = (selector: string, form: RegExp): string[] =>
  selector
    .slice(0, 2_000)
    .split(',')
    .flatMap(each => form.exec(each.trim())?.[1] ?? [])
