/**
 * Calls the functions of a token as the accounts that may have powers, on a copy of the state, and sees what its holders can
 * do afterwards. So powers are told that no name gives away, and owners whom the token does not tell.
 */
import { type Address, decodeFunctionResult, encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { Decimal } from '../dollars.ts'
import type { ChainWarning } from '../reader.ts'
import { wordsIn } from './call.ts'
import type { Code } from './code.ts'
import bytecode from './contracts/bytecode.json' with { type: 'json' }
import { constantsIn, selectorsIn } from './operations.ts'
import { signatureOf } from './powers.ts'
import { freshAddress, type SimulatedCall, simulated } from './simulate.ts'
import { shownAddress } from './token.ts'
import type { Bought } from './trial-reading.ts'
import { approveData, tradeData } from './trial-route.ts'
import {
  type Buyer,
  holderOf,
  lentTo,
  little,
  purchaseBlock,
  type Stage,
  secondsOfBlock,
} from './trial-stage.ts'
import { addressOf } from './words.ts'

const abi = parseAbi([
  'struct Trade { address account; address router; bytes data; address token; }',
  'struct Asked { address token; address[] owners; address[] parties; bytes4[] selectors; bytes[] arguments; Trade sale; Trade otherSale; Trade purchase; }',
  'struct Found { uint8 power; bytes4 selector; address owner; uint256 earlier; uint256 afterwards; }',
  'function probe(Asked asked) returns (Found[] found, uint256 tried, bool ready)',
])
/** Nodes give a call at least this much. */
const gas = 28_000_000n
const mostSelectors = 80
const mostOwners = 3
const mostAsked = 6

/** The accounts that a token names without telling whom: in its first places, and in its code. */
function namedBy({ pool, router, wrapped }: Stage, { own, delegates, places }: Code): Address[] {
  // A flag or a small number may share the word of an address.
  const held = places.flatMap(word => addressOf(`0x${'0'.repeat(24)}${word.slice(26)}`) ?? [])
  const known = new Set(
    [
      pool.token,
      pool.quote.address,
      pool.key ? pool.factory : pool.address,
      router,
      wrapped,
      ...delegates.map(each => each.address),
    ].map(address => address.toLowerCase()),
  )
  return [...new Set([...held, ...constantsIn(own)].map(address => address.toLowerCase() as Address))]
    .filter(address => !known.has(address) && BigInt(address) > 2n ** 80n)
    .slice(0, mostAsked)
}

async function ownersOf(stage: Stage, code: Code, owner: Address | null): Promise<Address[]> {
  const named = namedBy(stage, code).filter(address => address !== owner?.toLowerCase())
  const codes = await Promise.all(
    named.map(address =>
      stage.nodes.ask(client => client.getCode({ address, blockNumber: stage.head.number })),
    ),
  )
  const people = named.filter((_, i) => (codes[i]?.answer ?? '0x') === '0x')
  return [...(owner ? [owner] : []), ...people].slice(0, mostOwners)
}

/** What the functions are given. Each reads as many words as it has arguments. */
function argumentsFor(holder: Address, other: Address, amount: bigint): Hex[] {
  const same = (value: bigint) => wordsIn(value, value, value, value)
  return [
    // Numbers come first, from the largest fee that many allow down, so that a fee is told as one.
    same(90n),
    same(20n),
    same(1n),
    same(0n),
    wordsIn(holder, 1n, 1n, 1n),
    wordsIn(holder, amount, amount, amount),
    wordsIn(amount, holder, holder, holder),
    wordsIn(holder, other, amount / 8n || 1n, 0n),
    wordsIn(64n, 1n, 1n, holder),
    wordsIn(32n, 1n, holder),
    same(9000n),
  ].map((words): Hex => `0x${words}`)
}

export async function probed(
  stage: Stage,
  { main, others }: { main: Bought; others: readonly Bought[] },
  code: Code,
  owner: Address | null,
): Promise<ChainWarning[]> {
  const selectors = selectorsIn([code.own, ...code.delegates.map(each => each.code)]).slice(0, mostSelectors)
  if (!selectors.length) return []
  const owners = await ownersOf(stage, code, owner)
  if (!owners.length) return []
  const { pool, router, spare, patron } = stage
  const other = others.at(-1) ?? main
  const puppet = { code: bytecode.puppet as Hex }
  const prober = freshAddress()
  const approve = (from: Address, to: Address, amount: bigint): SimulatedCall => ({
    ...{ from, to, gas: little },
    data: approveData(router, amount),
  })
  const data = encodeFunctionData({
    abi,
    functionName: 'probe',
    args: [
      {
        token: pool.token,
        owners,
        parties: [main.buyer.address, other.buyer.address, holderOf(stage), pool.token],
        selectors,
        arguments: argumentsFor(main.buyer.address, other.buyer.address, main.got),
        sale: tradeOf(stage, 'sell', main.buyer, main.got / 4n || 1n),
        otherSale: tradeOf(stage, 'sell', other.buyer, other.got / 4n || 1n),
        purchase: tradeOf(stage, 'buy', spare, spare.pays),
      },
    ],
  })
  const blocks = await simulated(stage.nodes, stage.head, lentTo(stage), [
    purchaseBlock(stage, [
      approve(main.buyer.address, pool.token, main.got),
      ...(other === main ? [] : [approve(other.buyer.address, pool.token, other.got)]),
      approve(spare.address, pool.quote.address, spare.pays),
    ]),
    {
      blocks: 2,
      seconds: 2 * secondsOfBlock(stage),
      lent: {
        [prober]: { code: bytecode.prober as Hex },
        ...Object.fromEntries(
          [main.buyer.address, other.buyer.address, spare.address, ...owners].map(each => [each, puppet]),
        ),
      },
      calls: [{ from: patron, to: prober, data, gas }],
    },
  ])
  const told = blocks?.[1]?.[0]
  if (!told?.ok) return []
  const [found] = decodeFunctionResult({ abi, functionName: 'probe', data: told.data })
  return found.flatMap(warningOf)
}

const tradeOf = (
  { pool, router, wrapped, real }: Stage,
  side: 'buy' | 'sell',
  { address }: Buyer,
  amount: bigint,
) => ({
  account: address,
  router,
  data: tradeData(pool, side, amount, address, wrapped, real),
  token: side === 'buy' ? pool.token : pool.quote.address,
})

interface Found {
  power: number
  selector: Hex
  owner: Address
  earlier: bigint
  afterwards: bigint
}

const meanings: Readonly<Record<number, { code: ChainWarning['code']; what(found: Found): string }>> = {
  1: { code: 'owner_can_mint', what: () => 'makes more of it' },
  2: { code: 'permanent_delegate', what: () => 'takes tokens from a holder' },
  3: { code: 'owner_can_pause', what: () => 'stops trades' },
  4: { code: 'can_freeze', what: () => 'stops the sales of one holder' },
  5: {
    code: 'owner_sets_fee',
    what: ({ earlier, afterwards }) => {
      const share = new Decimal(String(earlier - afterwards)).div(String(earlier)).mul(100)
      return `takes ${share.toDecimalPlaces(1).toFixed()} % more of a trade`
    },
  },
}

function warningOf(found: Found): ChainWarning[] {
  const meaning = meanings[found.power]
  if (!meaning) return []
  const how = `${signatureOf(found.selector)}, called by ${shownAddress(getAddress(found.owner))} on a copy of the state,`
  return [{ code: meaning.code, severity: 'caution', evidence: `${how} ${meaning.what(found)}` }]
}
