/** The movement between accounts by one instruction of a token program. */
import { token2022Program, tokenProgram } from '../programs.ts'
import { atomsOf, type Instruction, textOf } from './parsed.ts'

export interface Moved {
  /** Accounts, not owners. Null if the token is minted or burned. */
  from: string | null
  to: string | null
  /** Null if the instruction does not name it. */
  mint: string | null
  authority: string | null
  amount: bigint
  /** The amount that arrives after a withheld fee. */
  arrives: bigint
}

export function movedBy({ programId, parsed }: Instruction): Moved | undefined {
  if ((programId !== tokenProgram && programId !== token2022Program) || typeof parsed !== 'object')
    return undefined
  const { type, info = {} } = parsed
  const amount = amountIn(info.tokenAmount) ?? atomsOf(info.amount)
  if (amount === undefined) return undefined
  const one = {
    mint: textOf(info.mint),
    authority: textOf(info.authority) ?? textOf(info.multisigAuthority),
    amount,
    arrives: amount,
  }
  switch (type) {
    case 'transfer':
    case 'transferChecked':
    case 'transferCheckedWithFee':
      return {
        ...one,
        from: textOf(info.source),
        to: textOf(info.destination),
        arrives: amount - (amountIn(info.feeAmount) ?? 0n),
      }
    case 'mintTo':
    case 'mintToChecked':
      return { ...one, from: null, to: textOf(info.account), authority: null }
    case 'burn':
    case 'burnChecked':
      return { ...one, from: textOf(info.account), to: null }
    default:
      return undefined
  }
}

const amountIn = (value: unknown): bigint | undefined =>
  atomsOf((value as { amount?: unknown } | undefined)?.amount)
