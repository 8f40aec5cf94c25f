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
const mostSelector = 2_000
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
  for (const { selector, style, depth } of rulesIn(html)) {
    if (found.size > mostNames) return found
    const judged = depth === 1 ? judge(declarationsIn(style)) : undefined
    if (judged !== undefined)
      for (const name of namesIn(selector, anywhere ? atLast : alone)) found.set(name, judged)
  }
  return found
}

/** The rules of all style elements in their order. At a depth of 1 a rule is for every screen. */
export function* rulesIn(html: string): Generator<{ selector: string; style: string; depth: number }> {
  let rules = 0
  for (const [, css = ''] of html.matchAll(styleElement)) {
    let depth = 0
    let selector = ''
    for (const piece of withoutComments(css).split(/(?<=[{}])/)) {
      if (rules++ > mostRules) return
      const text = piece.slice(0, -1)
      if (piece.endsWith('{')) {
        depth += 1
        selector = text.slice(0, mostSelector)
      } else if (piece.endsWith('}')) {
        if (selector) yield { selector, style: text, depth }
        depth = Math.max(0, depth - 1)
        selector = ''
      }
    }
  }
}

const withoutComments = (css: string): string =>
  css
    .split('*/')
    .map(part => (part.includes('/*') ? part.slice(0, part.indexOf('/*')) : part))
    .join('')

const namesIn = (selector: string, form: RegExp): string[] =>
  selector.split(',').flatMap(each => form.exec(each.trim())?.[1] ?? [])
