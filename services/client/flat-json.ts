/**
 * JSON of any depth, in one line. JSON.stringify calls itself for each level, and indents each: a stranger can nest deeper than that
 * has room for.
 */

type Part = { text: string } | { value: unknown }

export function flatJson(root: unknown): string {
  const written: string[] = []
  // The next one is the last.
  const left: Part[] = [{ value: root }]
  for (let part = left.pop(); part; part = left.pop()) {
    if ('text' in part) written.push(part.text)
    else if (typeof part.value !== 'object' || part.value === null)
      written.push(JSON.stringify(part.value) ?? 'null')
    else for (const each of partsOf(part.value).reverse()) left.push(each)
  }
  return written.join('')
}

function partsOf(value: object): Part[] {
  const isList = Array.isArray(value)
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return [
    { text: isList ? '[' : '{' },
    ...entries.flatMap(([name, each], i): Part[] => [
      { text: `${i ? ',' : ''}${isList ? '' : `${JSON.stringify(name)}:`}` },
      { value: each },
    ]),
    { text: isList ? ']' : '}' },
  ]
}
