/** What the command prints of a result, and the code that it ends with. */

import { networkName } from './networks.ts'
import { atomsOf, plain, usdOf } from './quote.ts'
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

/** `isKept`: the payment lies on the disk, and the same command takes it up. */
export function show(result: Result, json: boolean, isKept: boolean): number {
  if (json) console.log(JSON.stringify(result, null, 2))
  else if (result.ok) console.log(JSON.stringify(result.answer, null, 2))
  if (result.ok) {
    const { settlement, replayed, receipt } = result
    if (!json && settlement)
      console.error(
        replayed
          ? 'replayed, nothing was paid'
          : plain(
              `paid ${receipt?.price_usdc} USDC on ${networkName(settlement.network)}: ${settlement.transaction}`,
            ),
      )
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

/** A line for each payment that was signed, and one for each day. */
export function spentLines(all: readonly Spent[], json: boolean): string {
  if (json) return JSON.stringify(all, null, 2)
  const days = new Map<string, bigint>()
  for (const { at, usd } of all) days.set(at.slice(0, 10), (days.get(at.slice(0, 10)) ?? 0n) + atomsOf(usd))
  return [
    ...all.map(({ at, usd, network, payTo, url }) =>
      plain(`${at}  ${usd} USDC on ${network} to ${payTo}  ${url}`),
    ),
    ...[...days].map(([day, atoms]) => `${day}  ${usdOf(atoms)} USDC signed`),
  ].join('\n')
}

export function say(text: string): number {
  console.log(text)
  return exits.answered
}
