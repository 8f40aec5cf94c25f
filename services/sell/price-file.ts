/** Reads the file of prices: which operation costs what on which network, and who is paid. A name that nothing has is refused. */
import { z } from 'zod'
import type { ByNetwork } from '../offer/payees.ts'
import type { PriceBook } from '../offer/tariff.ts'
import { mistake } from '../query/mistakes.ts'
import { type Fault, SellDocument } from './document.ts'
import { price } from './form.ts'
import { inOrder, tellIssue } from './origin.ts'
import { byNetwork, wallet } from './payees.ts'

export interface PriceContext {
  origins: readonly { name: string; payTo?: ByNetwork; operations: readonly { path: string }[] }[]
  /** May nobody be paid at this address? Keys that pay fees or refunds are no wallets for money. */
  isForbidden(address: string): boolean
}

const terms = {
  price: price.optional(),
  prices: byNetwork(() => price).optional(),
  pay_to: byNetwork(wallet).optional(),
}

const form = z.strictObject({
  pay_to: terms.pay_to,
  origins: z.record(z.string(), z.strictObject(terms)).optional(),
  operations: z.record(z.string(), z.strictObject(terms)).optional(),
})

/** The book is absent if there are faults. */
export function priceBookOf(
  text: string,
  { origins, isForbidden }: PriceContext,
): { faults: readonly Fault[]; book?: PriceBook } {
  const document = new SellDocument(text)
  // A file that an editor has just emptied would bring back the prices of the code.
  if (document.value === null) document.fault([], 'the file is empty; {} is a file that sets nothing')
  if (document.value === undefined || document.value === null) return { faults: document.faults }
  const read = form.safeParse(document.value, { error: mistake })
  if (!read.success) {
    for (const issue of read.error.issues) tellIssue(document, issue)
    return { faults: inOrder(document) }
  }
  const book = read.data
  const tell = (path: readonly string[], message: string, isName = true) =>
    document.fault(path, message, { isName })
  const names = new Set(origins.map(({ name }) => name))
  for (const name of Object.keys(book.origins ?? {}))
    if (!names.has(name))
      tell(['origins', name], `no origin has this name. Known are ${[...names].join(', ')}`)
  const paths = new Set(origins.flatMap(({ operations }) => operations.map(({ path }) => path)))
  for (const path of Object.keys(book.operations ?? {}))
    if (!paths.has(path)) tell(['operations', path], 'no operation is sold at this path')
  for (const { path, payTo } of walletsOf(book))
    if (isForbidden(payTo)) tell(path, 'this is the address of a key that pays fees or refunds', false)
  const faults = inOrder(document)
  return faults.length ? { faults } : { faults, book }
}

function walletsOf(book: PriceBook): { path: string[]; payTo: string }[] {
  const all = [
    { path: [] as string[], said: book.pay_to },
    ...(['origins', 'operations'] as const).flatMap(kind =>
      Object.entries(book[kind] ?? {}).map(([name, { pay_to: said }]) => ({ path: [kind, name], said })),
    ),
  ]
  return all.flatMap(({ path, said = {} }) =>
    Object.entries(said).flatMap(([network, payTo]) =>
      payTo === undefined ? [] : { path: [...path, 'pay_to', network], payTo },
    ),
  )
}
