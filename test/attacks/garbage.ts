/** A good question with one value or one name spoiled. */

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

const many = (one: string, times: number) => one.repeat(times)

/** Written as text, since some of them have no value in JavaScript. */
export const oddities: readonly string[] = [
  'null',
  'true',
  '-1',
  '1.5',
  '1e400',
  '1e308',
  '-0',
  '9007199254740993',
  many('9', 400),
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e"',
  '"__proto__"',
  '"constructor"',
  '"1e1000000"',
  '"0x"',
  '"//"',
  '"http://\\u0000"',
  '"https://xn--/"',
  '"https://a.example/%"',
  '"%E0%A4%A"',
  '"../../etc/passwd"',
  `"${many('9', 3000)}"`,
  `"${many(' ', 3000)}"`,
  `"${many('é', 3000)}"`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"":0}',
  '{"a":{"a":{"a":{}}}}',
  '{"toString":null,"valueOf":1,"toJSON":"x","length":1e9,"then":{}}',
  '{"__proto__":{"a":1}}',
  `${many('[', 60)}${many(']', 60)}`,
  `${many('[', 3000)}${many(']', 3000)}`,
  `[${many('0,', 3000)}0]`,
]

const places = (value: Json, path: (string | number)[] = []): (string | number)[][] =>
  value === null || typeof value !== 'object'
    ? [path]
    : [path, ...Object.entries(value).flatMap(([name, part]) => places(part, [...path, name]))]

const hole = '\u0001hole\u0001'

/** JSON, or nearly. */
export function spoiled(question: object, draw: (below: number) => number): string {
  const copy = structuredClone(question) as Json
  const all = places(copy)
  const path = all[draw(all.length)] as string[]
  const oddity = oddities[draw(oddities.length)] as string
  if (path.length === 0)
    return draw(2) ? oddity : JSON.stringify({ ...question, more: hole }).replace(`"${hole}"`, oddity)
  const holder = path.slice(0, -1).reduce((at, name) => (at as Record<string, Json>)[name] as Json, copy)
  ;(holder as Record<string, Json>)[path.at(-1) as string] = hole
  return JSON.stringify(copy).replace(JSON.stringify(hole), () => oddity)
}
