import { describe, expect, it, type Mock, vi } from 'vitest'
import { parseInPieces } from '../../../../pipelines/rails/formats/json-pieces.ts'

const kb = 1 << 10
const many = <T>(count: number, member: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => member(n))
const object = (count: number, value: (n: number) => unknown) =>
  Object.fromEntries(many(count, n => [`name ${n} "\\`, value(n)]))

/** Each has a few hundred KB, so it is cut in many places. */
const values: Record<string, unknown> = {
  'a list of numbers': many(100_000, n => n / 7),
  'a list of objects': many(3_000, n => ({ n, words: 'a, "b" ] } \\'.repeat(3), list: [n, [], {}] })),
  'a list of lists': many(300, n => many(300, m => [n, m])),
  'an object of names': object(20_000, n => n),
  'an object of objects': object(300, n => object(100, m => [n, m])),
  'numbers as names': {
    first: object(10, n => n),
    7: many(30_000, n => n),
    '3': { '': many(9_000, String) },
  },
  'nests before and after': {
    a: [[[many(20_000, n => n)]]],
    b: { c: { d: many(20_000, n => `${n}`) } },
    e: null,
  },
  'long texts': many(20, n => `${'é\u2028, ]'.repeat(9_000)}${n}`),
  'an empty list': [],
  'a text': 'a, b',
  nothing: null,
}

describe('JSON in pieces', () => {
  it.each(Object.entries(values))('is what JSON.parse makes of %s', async (_, value) => {
    for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, null, 2)}\n`])
      expect(await parseInPieces(Buffer.from(text))).toEqual(JSON.parse(text))
  })

  it('keeps a name that objects have from birth, and changes no object with it', async () => {
    const text = `{"a":[${'1,'.repeat(40 * kb)}1],"__proto__":{"b":[${'2,'.repeat(40 * kb)}2]},"c":1}`
    const read = (await parseInPieces(Buffer.from(text))) as object
    expect(JSON.stringify(read)).toBe(text)
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  const long = `1,${'2,'.repeat(40 * kb)}`
  it.each([
    ['nothing', ''],
    ['a comma at the end of a list', `[${long}]`],
    ['two commas', `[${long},3]`],
    ['a comma at the beginning of a list', `[${' '.repeat(40 * kb)},3]`],
    ['a comma at the beginning of an object', `{${' '.repeat(40 * kb)},"a":3}`],
    ['a comma at the beginning of a list within another', `[${'1,'.repeat(16 * kb - 1)}  [ ,3]]`],
    ['blanks between commas', `[${long}${' '.repeat(40 * kb)},3]`],
    ['a comma after the last value', `[${long}3],`],
    ['a second value', `[${long}3],4`],
    ['no end', `[${long}3`],
    ['no end of an object', `{"a":[${long}3]`],
    ['no end of a text', `[${long}"a`],
    ['another end', `[${long}3}`],
    ['an end too many', `[${long}3]]`],
    ['a name in a list', `[${long}"a":3]`],
    ['no name in an object', `{"a":[${long}3],4}`],
    ['a word', `[${long}undefined]`],
    ['a long run of blanks', `[${long}${' '.repeat(2_000 * kb)}3]`],
    ['a long text', `[${long}"${'a'.repeat(2_000 * kb)}"]`],
    ['many nests', `[${long}${'['.repeat(65)}${']'.repeat(65)}]`],
    ['many names', `{${many(120_000, n => `"${n}":0`)}}`],
    ['many values', `[${'0,'.repeat(4_000_001)}0]`],
  ])('refuses %s', async (_, text) => {
    await expect(parseInPieces(Buffer.from(text))).rejects.toThrow(SyntaxError)
  })

  it('gives other work its turn', async () => {
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await parseInPieces(Buffer.from(JSON.stringify(values['a list of objects'])))
    isOver = true
    expect(turns).toBeGreaterThan(5)
  })

  type Search = (this: Buffer, sought: number, from?: number) => number

  /** The most letters that are parsed or searched between two turns of other work. */
  async function mostAtOnce(text: string): Promise<number> {
    let [now, most, isOver] = [0, 0, false]
    const add = (steps: number) => {
      now += steps
      most = Math.max(most, now)
    }
    const turn = () => {
      now = 0
      if (!isOver) setImmediate(turn)
    }
    const { parse } = JSON
    const indexOf = Buffer.prototype.indexOf as Search
    const parsing = vi.spyOn(JSON, 'parse').mockImplementation(given => {
      add(given.length)
      return parse(given)
    })
    const search = vi.spyOn(Buffer.prototype, 'indexOf') as unknown as Mock<Search>
    search.mockImplementation(function (this: Buffer, sought, from = 0) {
      const found = indexOf.call(this, sought, from)
      add((found < 0 ? this.length : found) - from)
      return found
    })
    setImmediate(turn)
    await parseInPieces(Buffer.from(text)).catch(error => expect(error).toBeInstanceOf(SyntaxError))
    isOver = true
    parsing.mockRestore()
    search.mockRestore()
    return most
  }

  it.each(Object.entries(values))('reads a few KB of %s in one go', async (_, value) => {
    // The letters of a piece, and those of its texts once more.
    expect(await mostAtOnce(JSON.stringify(value))).toBeLessThan(3 * 54 * kb)
  })

  const mb = 1 << 20
  it.each([
    ['a text without an end', `["${'a'.repeat(8 * mb)}`],
    ['a text of quotes', `["${'\\"'.repeat(4 * mb)}"]`],
    ['a text of slashes', `["${'\\'.repeat(8 * mb)}"]`],
    ['a name without an end', `{"a":0,"${'\\"'.repeat(4 * mb)}`],
    ['the longest text', `[0,"${'a'.repeat(mb - 10)}",1,"${'a'.repeat(mb - 10)}"]`],
    ['the longest number', `[0,${'1'.repeat(mb - 10)},${'1'.repeat(mb - 10)}]`],
    ['a run of blanks', `[0,${' '.repeat(8 * mb)}1]`],
  ])('reads no more than the longest value of %s in one go', async (_, text) => {
    expect(await mostAtOnce(text)).toBeLessThan(3 * mb)
  })
})
