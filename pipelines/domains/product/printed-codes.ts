/** The codes that a page prints beside those that it declares: an old SKU, the code of a maker, a mistake. */
import { type PrintedCodes, stated } from './facts.ts'
import type { Merged } from './merge.ts'
import type { AllLabelled } from './page-labels.ts'

/** Undefined where what is printed agrees with what is declared. */
export function printedCodes({ facts, by }: Merged, codes: AllLabelled): PrintedCodes | undefined {
  const { sku, mpn, gtin, group } = facts
  const variants = (group?.variants ?? []).flatMap(variant => [variant.sku, variant.gtin])
  const declared = new Set([sku, mpn, gtin, group?.id, ...variants].flatMap(code => (code ? bare(code) : [])))
  const printed = new Set([...codes.sku, ...codes.mpn, ...codes.gtin].map(bare))
  const other = (name: keyof PrintedCodes) =>
    by.get(name) === 'declared' && !printed.has(bare(facts[name] ?? ''))
      ? codes[name].find(code => !declared.has(bare(code)))
      : undefined
  const found = stated<PrintedCodes>({ sku: other('sku'), mpn: other('mpn'), gtin: other('gtin') })
  return Object.keys(found).length ? found : undefined
}

/** Signs between digits, letter case and zeros before them say nothing. */
const bare = (code: string): string =>
  code
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replace(/^0+(?=.)/, '')
