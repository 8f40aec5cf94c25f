/** JSON in which no name stands twice. JSON.parse takes the last of two, and a reader the first, so neither is taken. */

export class NamedTwice extends SyntaxError {
  readonly line: number
  constructor(name: string, line: number) {
    super(`line ${line}: "${name.slice(0, 40)}" is named twice`)
    this.line = line
  }
}

const tokens = /"(?:[^"\\]|\\[\s\S])*"?|[{}:[\]\n]/g

/** Throws SyntaxError, or NamedTwice with the line of the second. */
export function jsonIn(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const open: Set<string>[] = []
  let line = 1
  let name = ''
  for (const [token] of text.matchAll(tokens)) {
    if (token === '\n') line++
    else if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      if (open.at(-1)?.has(name)) throw new NamedTwice(name, line)
      open.at(-1)?.add(name)
    } else name = JSON.parse(token) as string
  }
  return value
}
