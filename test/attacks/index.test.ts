/** README.md is the index of attacks. It must be complete and true. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** The number of rows of each part. */
const parts = [12, 16, 15, 11, 34, 9, 17, 13, 17, 11, 15, 9, 7, 8, 6]
const known = [
  ...parts.flatMap((count, i) => Array.from({ length: count }, (_, n) => `${i + 1}.${n + 1}`)),
  '4.3b',
]

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const rows = [...read('./README.md').matchAll(/^\| (\d+\.\d+b?) +\| (.+?) \| (.+?) \|$/gm)].map(
  ([, row = '', , shown = '']) => ({ row, shown: shown.trim() }),
)

describe('the index of attacks', () => {
  it('has every row once', () => {
    expect(rows.map(({ row }) => row).sort()).toEqual([...known].sort())
  })

  it.each(rows)('$row names a test that exists, or a reason', ({ shown }) => {
    const [, file, name] = /^`(.+?)`: (.+)$/.exec(shown) ?? []
    if (file && name) expect(read(`../${file}`)).toContain(name)
    else expect(shown).toMatch(/^(cannot|not ours)\b.+: .{20,}$/)
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
