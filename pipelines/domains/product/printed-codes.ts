/** The codes that a page prints beside those that it declares: an old SKU, the code of a maker, a mistake. */
import { type PrintedCodes, stated } from './facts.ts'
import { isMistyped } from './gtin.ts'
import type { Merged } from './merge.ts'
import type { AllLabelled } from './page-labels.ts'

/** Adds them where what is printed does not agree with what is declared. */
export function withPrinted(told: Merged, codes: AllLabelled): Merged {
  const { facts, by } = told
  const { sku, mpn, gtin, group } = facts
  const variants = (group?.variants ?? []).flatMap(variant => [variant.sku, variant.gtin])
  const declared = new Set([sku, mpn, gtin, group?.id, ...variants].flatMap(code => (code ? bare(code) : [])))
  const shown = new Set([...codes.sku, ...codes.mpn, ...codes.gtin].map(bare))
  const other = (name: keyof PrintedCodes) =>
    by.get(name) === 'declared' && !shown.has(bare(facts[name] ?? ''))
      ? codes[name].find(code => !declared.has(bare(code)) && !(name === 'gtin' && isMistyped(code)))
      : undefined
  const printed = stated<PrintedCodes>({ sku: other('sku'), mpn: other('mpn'), gtin: other('gtin') })
  return Object.keys(printed).length ? { ...told, facts: { ...facts, printed } } : told
}

/** Signs between digits, letter case and zeros before them say nothing. */
const bare = (code: string): string =>
  code
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase()
    .replace(/^0+(?=.)/, '')
