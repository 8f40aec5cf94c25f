import { describe, expect, it } from 'vitest'
import { mostNames, mostNesting, readStrictJson, UnfitJson } from '../../../schemas/values/strict-json.ts'

const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`

describe('reads the same values as JSON.parse', () => {
  it.each([
    'null',
    '-0.5e-3',
    '" \\" \\\\"',
    '[]',
    '{"a":[1,"a","b",{"a":{"b":"a"},"b":2}],"b":"\\ud83d\\ude00","\\u0063":1e308}',
    '["a","a",{"a":"a"},["a"]]',
    `{"\\\\":${'9'.repeat(308)},"\\"":",{"}`,
    nested(mostNesting),
    `{${Array.from({ length: mostNames }, (_, i) => `"${i}":0`)}}`,
  ])('%s', text => {
    expect(readStrictJson(text)).toEqual(JSON.parse(text))
  })
})

describe('refuses', () => {
  it.each([
    ['a name that is written twice', '{"a":1,"b":[{"a":1}],"a":2}', 'The field "a" is written twice'],
    ['the same name in other letters', '{"a":1,"\\u0061":2}', 'The field "a" is written twice'],
    ['__proto__', '{"a":{"__proto__":{}}}', '__proto__'],
    ['half of a surrogate pair', '{"a":"\\ud800"}', 'surrogate'],
    ['half of a surrogate pair in a list', '["\\uDFFF"]', 'surrogate'],
    ['half of a surrogate pair in a name', '{"\\ud800":1}', 'surrogate'],
    ['half of a surrogate pair as it is', '{"a\ud800":1}', 'surrogate'],
    ['infinity', '{"a":1e400}', 'too large'],
    ['minus infinity', '[-1E+999]', 'too large'],
    ['a number of 400 digits', '9'.repeat(400), 'too large'],
    [
      'a field too many',
      `{${Array.from({ length: mostNames + 1 }, (_, i) => `"${i}":0`)}}`,
      'more than 2000 fields',
    ],
    ['a deep nest', nested(mostNesting + 2), 'nested'],
  ])('%s', (_what, text, why) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(() => readStrictJson(text)).toThrow(UnfitJson)
    expect(() => readStrictJson(text)).toThrow(why)
  })

  it.each(['', '{', 'NaN', '{"a":1,}', '"\n"', '01'])('a text that is not JSON: %j', text => {
    expect(() => readStrictJson(text)).toThrow(SyntaxError)
  })
})
