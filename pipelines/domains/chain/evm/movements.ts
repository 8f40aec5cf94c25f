/** Reads the movements in the logs of a transaction: ERC-20, ERC-721, ERC-1155, and coin that is wrapped and unwrapped. */
import { type Address, decodeAbiParameters, type Hex, hexToBigInt, size, slice, toEventSelector } from 'viem'
import type { EvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainTransfer } from '../reader.ts'
import { markets } from './chains/index.ts'
import { look } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { decimalsOf, inUnits, shownAddress, textOf, tokenCall } from './token.ts'

export interface EvmLog {
  address: Address
  topics: Hex[]
  data: Hex
}

interface Movement {
  standard: 'erc20' | 'erc721' | 'erc1155'
  token: Address
  /** Null for the zero address: the token is minted or burned. */
  from: Address | null
  to: Address | null
  amount: bigint
  id: bigint | null
}

const topics = {
  transfer: toEventSelector('Transfer(address,address,uint256)'),
  single: toEventSelector('TransferSingle(address,address,address,uint256,uint256)'),
  batch: toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])'),
  deposit: toEventSelector('Deposit(address,uint256)'),
  withdrawal: toEventSelector('Withdrawal(address,uint256)'),
}

const account = (topic: Hex | undefined): Address | null =>
  topic === undefined || hexToBigInt(topic) === 0n ? null : slice(topic, 12)
const word = (data: Hex, i: number): bigint | undefined =>
  size(data) >= 32 * (i + 1) ? hexToBigInt(slice(data, 32 * i, 32 * i + 32)) : undefined

export function movementsIn(
  { address: token, topics: [kind, a, b, c], data }: EvmLog,
  chain: EvmChainName,
): Movement[] {
  const amount = word(data, 0)
  switch (kind) {
    case topics.transfer: {
      // ERC-721 has the same event, and its id is the fourth topic.
      const parties = { from: account(a), to: account(b) }
      if (c !== undefined) return [{ standard: 'erc721', token, ...parties, amount: 1n, id: hexToBigInt(c) }]
      return b === undefined || amount === undefined
        ? []
        : [{ standard: 'erc20', token, ...parties, amount, id: null }]
    }
    case topics.single: {
      const value = word(data, 1)
      return amount === undefined || value === undefined
        ? []
        : [{ standard: 'erc1155', token, from: account(b), to: account(c), amount: value, id: amount }]
    }
    case topics.batch:
      return batchOf(data).map(([id, value]) => ({
        standard: 'erc1155',
        token,
        from: account(b),
        to: account(c),
        amount: value,
        id,
      }))
    case topics.deposit:
    case topics.withdrawal: {
      if (token.toLowerCase() !== markets[chain].wrapped.toLowerCase() || amount === undefined) return []
      const [from, to] = kind === topics.deposit ? [null, account(a)] : [account(a), null]
      return [{ standard: 'erc20', token, from, to, amount, id: null }]
    }
    default:
      return []
  }
}

function batchOf(data: Hex): (readonly [bigint, bigint])[] {
  try {
    const [ids, values] = decodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], data)
    return ids.length === values.length ? ids.map((id, i) => [id, values[i] as bigint] as const) : []
  } catch {
    // A stranger's contract wrote the log. It is not a batch.
    return []
  }
}

/** Adds the symbol and the decimals that the tokens report now. */
export async function shownTransfers(nodes: EvmNodes, moved: readonly Movement[]): Promise<ChainTransfer[]> {
  const tokens = [...new Set(moved.map(({ token }) => token.toLowerCase() as Address))]
  if (!tokens.length) return []
  const { returned } = await look(
    nodes,
    tokens.flatMap(token => [tokenCall(token, 'symbol'), tokenCall(token, 'decimals')]),
  )
  return moved.map(({ standard, token, from, to, amount, id }) => {
    const at = tokens.indexOf(token.toLowerCase() as Address)
    const decimals = standard === 'erc20' ? decimalsOf(returned[2 * at + 1]) : 0
    return {
      standard,
      token: shownAddress(token),
      symbol: textOf(returned[2 * at]).text,
      from: from && shownAddress(from),
      to: to && shownAddress(to),
      amount: inUnits(amount, decimals),
      raw: String(amount),
      token_id: id === null ? null : String(id),
    }
  })
}
