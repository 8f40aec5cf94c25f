/** Reads the results of the trades of a trial from balances. The token's own events tell, too, what a sale has sent. */
import { type Address, decodeErrorResult, decodeFunctionResult, type Hex, parseAbi } from 'viem'
import { Decimal } from '../dollars.ts'
import { cleaned } from '../text.ts'
import type { SimulatedOutcome } from './simulate.ts'
import { type Buyer, holderOf, type Stage, thrifty } from './trial-stage.ts'
import type { Tried } from './trial-verdict.ts'
import { uintOf } from './words.ts'

const resultAbi = parseAbi([
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3() returns (Result[])',
])

interface Held {
  pool: bigint
  buyer: bigint
  quote: bigint
}

export function heldIn({ ok, data }: SimulatedOutcome): Held | undefined {
  if (!ok) return undefined
  const results = decodeFunctionResult({ abi: resultAbi, functionName: 'aggregate3', data })
  const [pool, buyer, quote] = results.map(({ returnData }) => uintOf(returnData))
  return pool === undefined || buyer === undefined || quote === undefined ? undefined : { pool, buyer, quote }
}

export type Bought = Tried & { buyer: Buyer; got: bigint }

export function purchaseIn(
  buyer: Buyer,
  [approved, before, trade, after]: readonly SimulatedOutcome[],
): Bought {
  const [held, holds] = [before && heldIn(before), after && heldIn(after)]
  const got = held && holds ? holds.buyer - held.buyer : 0n
  return {
    buyer,
    got,
    dollars: buyer.dollars,
    ok: trade?.ok === true && got > 0n,
    reason: reasonOf(approved?.ok === false ? approved : trade),
    tax: held && holds ? lost(held.pool - holds.pool, got) : null,
  }
}

export interface TriedSale {
  seller: Bought
  amount: bigint
  gas: bigint
}

export type SaleTried = Tried & { starved: boolean }

export function saleIn(
  stage: Stage,
  { seller, amount, gas }: TriedSale,
  [before, trade, after]: readonly SimulatedOutcome[],
): SaleTried {
  const [held, holds] = [before && heldIn(before), after && heldIn(after)]
  const share = new Decimal(String(amount)).div(String(seller.got))
  const ok = trade?.ok === true && held !== undefined && holds !== undefined && holds.quote > held.quote
  const arrived = held && holds ? holds.pool - held.pool : 0n
  const told = trade ? toldArrived(stage, seller.buyer.address, trade) : undefined
  const came = told !== undefined && told < arrived ? told : arrived
  return {
    dollars: seller.dollars.mul(share),
    ok,
    reason: reasonOf(trade),
    tax: held && holds ? lost(held.buyer - holds.buyer, came) : null,
    starved: trade?.ok === false && gas === thrifty && trade.gasUsed * 10n > gas * 9n,
  }
}

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const wordOfAddress = (address: Address) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** By the token's own events. A token that sells its fees meanwhile sends the pool more than the seller does. */
function toldArrived(stage: Stage, seller: Address, { logs }: SimulatedOutcome): bigint | undefined {
  const [from, to] = [wordOfAddress(seller), wordOfAddress(holderOf(stage))]
  const found = logs.filter(
    ({ address, topics }) =>
      address.toLowerCase() === stage.pool.token.toLowerCase() &&
      topics[0] === transferTopic &&
      topics[1]?.toLowerCase() === from &&
      topics[2]?.toLowerCase() === to,
  )
  return found.length ? found.reduce((sum, { data }) => sum + (uintOf(data) ?? 0n), 0n) : undefined
}

function lost(sent: bigint, came: bigint): Decimal | null {
  if (sent <= 0n) return null
  const share = new Decimal(String(sent - came)).div(String(sent)).mul(100)
  return Decimal.max(0, share).toDecimalPlaces(2)
}

const reasonOf = (outcome: SimulatedOutcome | undefined): string =>
  outcome?.ok ? 'nothing came out' : saidBy(outcome?.data ?? '0x')

const errorAbi = parseAbi(['error Error(string reason)', 'error Panic(uint256 code)'])

export function saidBy(data: Hex): string {
  if (data === '0x') return 'it gives no reason'
  try {
    const { errorName, args } = decodeErrorResult({ abi: errorAbi, data })
    return errorName === 'Error' ? JSON.stringify(cleaned(String(args[0])).text ?? '') : `panic ${args[0]}`
  } catch {
    // A stranger's contract has its own errors.
    return `error ${data.slice(0, 10)}`
  }
}
