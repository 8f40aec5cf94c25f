/** What the command prints of a result, and the code that it ends with. */

import { networkName } from './networks.ts'
import type { Purse } from './purse.ts'
import { atomsOf, plain, shownJson, usdOf } from './quote.ts'
import type { Result } from './results.ts'
import type { Spent } from './spending.ts'

export const exits = {
  answered: 0,
  broke: 1,
  words: 2,
  refused: 3,
  unpaid: 4,
  unknown: 5,
  kept: 6,
  gone: 7,
} as const

const presented = {
  unknown: 'present it again with',
  kept: 'it was charged, and its answer is kept: ask the same question with the wallet that paid and',
} as const

type Answered = Extract<Result, { ok: true }>

/** What is known of the payment. A seller that is not Farebox may give no receipt, or say nothing of it at all. */
function paidWords({ settlement, replayed, receipt }: Answered, signed: Spent | undefined): string[] {
  // What was signed is known here. What the receipt says of it is the seller's word.
  const price = signed?.usd ?? receipt?.price_usdc
  const amount = price === undefined ? '' : `${price} USDC `
  const none = 'the seller gave no receipt'
  if (!settlement && !signed) return []
  if (!settlement)
    return [`${amount}on ${signed?.network} were signed, and the seller names no transaction`, none]
  if (replayed)
    return [
      signed
        ? `replayed, says the seller; ${amount}on ${signed.network} were signed`
        : 'replayed, nothing was paid',
    ]
  const paid = `paid ${amount}on ${networkName(settlement.network)}: ${settlement.transaction}`
  return receipt ? [paid] : [paid, none]
}

/** `isKept`: the payment lies on the disk, and the same command takes it up. `signed`: what this command has signed. */
export function show(result: Result, json: boolean, isKept: boolean, signed?: Spent): number {
  if (json) console.log(shownJson(result))
  else if (result.ok) console.log(shownJson(result.answer))
  if (result.ok) {
    if (!json) for (const words of paidWords(result, signed)) console.error(plain(words))
    return exits.answered
  }
  const { code, message, charged, payment, answer } = result.error
  if (!json) console.error(plain(`${code}: ${message}`))
  if (!json && payment && answer !== 'gone')
    console.error(
      isKept
        ? 'its payment is kept: the same command presents it again, and pays nothing new (farebox payments)'
        : `${presented[answer ?? 'unknown']} --payment ${payment}`,
    )
  if (code === 'dry_run') return exits.answered
  if (code === 'over_budget' || code === 'cannot_pay') return exits.unpaid
  return charged === false ? exits.refused : exits[answer ?? 'unknown']
}

/** A line for each payment that was signed, and one for each day: what was signed, and what counts against its cap where that is more. */
export async function spentLines(all: readonly Spent[], purse: Purse, json: boolean): Promise<string> {
  if (json) return shownJson(all)
  const days = new Map([[new Date().toISOString().slice(0, 10), 0n]])
  for (const { at, usd } of all) days.set(at.slice(0, 10), (days.get(at.slice(0, 10)) ?? 0n) + atomsOf(usd))
  const lines = all.map(({ at, usd, network, payTo, url }) =>
    plain(`${at}  ${usd} USDC on ${network} to ${payTo}  ${url}`),
  )
  for (const [day, signed] of [...days].sort()) {
    const { spent: counted } = await purse.take(day, 0n, 0n)
    if (signed) lines.push(`${day}  ${usdOf(signed)} USDC signed`)
    if (counted > signed)
      lines.push(
        `${day}  ${usdOf(counted)} USDC count against the cap: ${usdOf(counted - signed)} were taken by who was killed before he signed, or ` +
          'signed by who keeps no log',
      )
  }
  return lines.join('\n')
}

export function say(text: string): number {
  console.log(text)
  return exits.answered
}
