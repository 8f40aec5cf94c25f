/** Reads the JSON of a body. A field that is written twice is refused: JSON.parse would drop the first in silence. */

/** Text that is JSON, and still no question. */
export class WrittenTwice extends SyntaxError {
  constructor(name: string) {
    super(`The field ${JSON.stringify(name)} is written twice`)
  }
}

/** An absent body is undefined. Throws SyntaxError. */
export function readBody(text: string): unknown {
  if (text === '') return undefined
  const body: unknown = JSON.parse(text)
  const twice = writtenTwice(text)
  if (twice !== undefined) throw new WrittenTwice(twice)
  return body
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],]/g

/** Finds the first name that an object of this valid JSON has twice. */
function writtenTwice(json: string): string | undefined {
  /** The names of each object that is open, and undefined for each list. */
  const open: (Set<string> | undefined)[] = []
  let nameIsNext = false
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined)
    else if (token === '}' || token === ']') open.pop()
    const names = open.at(-1)
    if (names && nameIsNext && token.startsWith('"')) {
      const name = JSON.parse(token) as string
      if (names.has(name)) return name
      names.add(name)
    }
    nameIsNext = token === '{' || token === ','
  }
  return undefined
}
