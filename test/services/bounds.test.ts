/** services/README.md names the bounds of the door and the till. Its numbers must be true, and its list complete. */
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (file: string) => readFileSync(new URL(`../../services/${file}`, import.meta.url), 'utf8')
const readme = read('README.md')
const section = readme.slice(readme.indexOf('## Bounds of the door and the till'))
const rows = [...section.matchAll(/^\| (.+?) \| ([\d,]+)[^|]*\| `([\w/.-]+)` `(\w+)` \| (.+?) \|$/gm)].map(
  ([, what = '', most = '', file = '', name = '', beyond = '']) => ({ what, most, file, name, beyond }),
)

/** The value of `const name = 64 * 1024` or `name: 256`. */
function boundIn(file: string, name: string): number {
  const [, text = ''] = new RegExp(`\\b${name}(?: =|:) ([\\d_ *<()+]+),?$`, 'm').exec(read(file)) ?? []
  expect(text, `${name} in ${file}`).not.toBe('')
  return Number(new Function(`return ${text}`)())
}

describe('the bounds of door and till', () => {
  it('are told, all of them', () => {
    const told = section.slice(0, section.indexOf('\n## ', 5)).match(/^\| .+ \|$/gm) ?? []
    // The first row names the columns.
    expect(rows.length).toBe(told.length - 1)
  })

  it.each(rows)('$what: $most', ({ most, file, name }) => {
    expect(boundIn(file, name)).toBe(Number(most.replaceAll(',', '')))
  })

  /** Collections with one entry for each operation, network, dataset, feed or call in hand. No stranger adds entries. */
  const fixed = new Set([
    'query/catalog/python-shapes.ts',
    'query/early.ts',
    'query/held-view.ts',
    'query/shelf.ts',
    'query/signing/signer.ts',
    'till/facilitator/cdp-key.ts',
    'till/facilitator/catalog.ts',
    'till/facilitator/facilitator.ts',
    'till/facilitator/health.ts',
    'till/ledger.ts',
    'till/ledger/carried.ts',
    'till/quotes.ts',
    'till/sale/background.ts',
    'till/sale/reservation.ts',
    'till/sale/steps.ts',
    'till/sale/stop.ts',
    'till/schemes/evm-signature.ts',
    'till/schemes/svm.ts',
  ])

  it('name every file with a table that lasts', () => {
    const files = globSync(['till/**/*.ts', 'query/**/*.ts'], {
      cwd: new URL('../../services/', import.meta.url).pathname,
    })
    const lasting = /^(?: {2}(?:readonly )?#?\w+|const \w+) = new (?:Map|Set|Tally)\b/m
    const unnamed = files.filter(
      file => lasting.test(read(file)) && !fixed.has(file) && !section.includes(`\`${file}\``),
    )
    expect(unnamed).toEqual([])
  })
})
