/** The parts that we read of a getTransaction answer with the encoding jsonParsed. */
export interface ParsedTransaction {
  slot: number
  blockTime: number | null
  meta: Meta | null
  transaction: {
    signatures: string[]
    message: { accountKeys: { pubkey: string }[]; instructions: Instruction[] }
  }
}

interface Meta {
  err: unknown
  fee: number
  preBalances?: (number | string)[]
  postBalances?: (number | string)[]
  logMessages?: string[] | null
  innerInstructions?: { index: number; instructions: Instruction[] }[] | null
  preTokenBalances?: ParsedTokenBalance[] | null
  postTokenBalances?: ParsedTokenBalance[] | null
}

export interface Instruction {
  programId: string
  program?: string
  parsed?: { type?: string; info?: Record<string, unknown> } | string
}

export interface ParsedTokenBalance {
  accountIndex: number
  mint: string
  owner?: string
  programId?: string
  uiTokenAmount: { amount: string; decimals: number }
}

/** All instructions in the order of their execution, including those that programs made. */
export function inOrder({ transaction, meta }: ParsedTransaction): Instruction[] {
  const inner = new Map(
    (meta?.innerInstructions ?? []).map(({ index, instructions }) => [index, instructions]),
  )
  return transaction.message.instructions.flatMap((one, i) => [one, ...(inner.get(i) ?? [])])
}

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const atomsOf = (value: unknown): bigint | undefined =>
  /^\d+$/.test(String(value)) ? BigInt(String(value)) : undefined
