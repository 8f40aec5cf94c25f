/** `farebox payments`: what is open, what it may still be worth, and how it is fetched or dropped. */
import type { KeepInFolder } from './keep-folder.ts'
import { isDead, type Kept } from './kept.ts'
import { networkName } from './networks.ts'
import { plain, shownJson, usdOf } from './quote.ts'

type Named = ReturnType<KeepInFolder['list']>[number]

export const amountOf = ({ amount, network }: Kept): string =>
  plain(`${usdOf(amount)} USDC on ${networkName(network)}`)

/** Undefined: none, or more than one, begins so. */
export function named(keep: KeepInFolder, beginning: string): Named | undefined {
  const found = beginning.length < 4 ? [] : keep.list().filter(({ name }) => name.startsWith(beginning))
  return found.length === 1 ? found[0] : undefined
}

export function listed(keep: KeepInFolder, json: boolean): string {
  const open = keep.list()
  if (json)
    return shownJson(
      open.map(({ name, kept: { payment: _, key: __, ...kept } }) => ({ id: shortOf(name), ...kept })),
    )
  if (open.length === 0) return 'no payment is open'
  const rows = open.flatMap(({ name, kept }) => [
    `${shortOf(name)}  ${amountOf(kept)}, ${kept.signedAt}: ${kept.url}${kept.path} ${shortened(kept.question)}`,
    `          ${worthOf(kept)}`,
  ])
  return [
    ...rows.map(plain),
    'farebox payments fetch <id>, or drop <id>: without its record nobody can ask for it',
  ].join('\n')
}

const shortOf = (name: string): string => name.slice(0, 8)

function shortened(question: object): string {
  const text = JSON.stringify(question)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** A stranger's words are in it. */
export function worthOf(kept: Kept): string {
  const { said, deadAt } = kept
  if (said?.charged)
    return `charged; the answer is kept until ${said.keptUntil ?? 'the seller says otherwise'}`
  const taken = isDead(kept)
    ? 'it can be taken no more; if it was, its answer may be had for seven days'
    : `it may be taken until ${deadAt}, and is worth its answer then`
  const heard = said ? `last heard: ${said.code}` : 'nothing was heard'
  return `${heard}; ${taken}`
}
