/** README.md is the index of attacks. It must be complete and true. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const rows = [...read('./README.md').matchAll(/^\| (\d+\.\d+) +\| (.+?) \| (.+?) \|$/gm)].map(
  ([, row = '', , shown = '']) => ({ row, shown: shown.trim() }),
)

describe('the index of attacks', () => {
  it('numbers the rows of each part in order, and leaves none out', () => {
    const parts = read('./README.md').split(/^## /m).slice(1)
    expect(parts.length).toBeGreaterThan(0)
    for (const [i, part] of parts.entries()) {
      const numbers = [...part.matchAll(/^\|(?! *row\b)(?! *-) *(\S+)/gm)].map(([, number]) => number)
      expect(numbers[0]).toBe(`${i + 1}.1`)
      expect(numbers).toEqual(numbers.map((_, n) => `${i + 1}.${n + 1}`))
      expect(part.startsWith(`${i + 1}. `)).toBe(true)
    }
    expect(rows).toHaveLength([...read('./README.md').matchAll(/^\| *\d/gm)].length)
  })

  it.each(rows)('$row names a test that exists, or a reason', ({ shown }) => {
    const [, file, name] = /^`(.+?)`: (.+)$/.exec(shown) ?? []
    if (file && name) expect(read(`../${file}`)).toContain(name)
    else expect(shown).toMatch(/^(cannot|not ours)\b.+: .{20,}$/)
  })
})

describe('what a file sells', () => {
  const suites = [...read('./README.md').matchAll(/^\| `((?:attacks|faults)\/\S+)` \| (.+?) \|$/gm)].map(
    ([, suite = '', sold = '']) => ({ suite, sold }),
  )

  it('is told of each suite', () => {
    const all = globSync('{attacks,faults}/*.test.ts', { cwd: new URL('..', import.meta.url) })
    expect(suites.map(({ suite }) => suite)).toEqual(all.sort())
  })

  it.each(suites)('$suite attacks it, or has a reason', ({ sold }) => {
    const [, file] = /^`(.+?)`$/.exec(sold) ?? []
    if (file) expect(read(`../${file}`)).toMatch(/\/sell\/|`origin: \w/)
    else expect(sold).toMatch(/^none: .{15,}$/)
  })
})

describe('the threat model', () => {
  const shown = [
    ...read('../../.github/SECURITY.md').matchAll(/`([\w./-]+\.test\.ts)`: (.+?)(?=;\s+`|\n)/g),
  ].map(([, file = '', name = '']) => ({ file, name: name.replace(/;$/, '') }))

  it('names a test for each attacker', () => {
    const attackers = read('../../.github/SECURITY.md').split(/^### /m).slice(1)
    expect(attackers.length).toBeGreaterThanOrEqual(9)
    for (const attacker of attackers) expect(attacker).toMatch(/^- .+: `[\w./-]+\.test\.ts`: /m)
  })

  it.each(shown)('$file: $name', ({ file, name }) => {
    expect(read(`../${file}`)).toContain(name)
  })
})
