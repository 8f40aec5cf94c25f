/** Reads the operations of a contract's code: what it can run, which functions it knows, which addresses it contains. */
import { type Address, type Hex, size, toFunctionSelector } from 'viem'

interface Operation {
  code: number
  /** Where it stands in the text of the code. */
  at: number
  /** What a push puts there. */
  pushed: Hex
}

function* operationsOf(code: Hex): Generator<Operation> {
  for (let i = 2; i < code.length; i += 2) {
    const operation = Number.parseInt(code.slice(i, i + 2), 16)
    const bytes = operation >= 0x60 && operation <= 0x7f ? operation - 0x5f : 0
    yield { code: operation, at: i, pushed: `0x${code.slice(i + 2, i + 2 + 2 * bytes)}` }
    i += 2 * bytes
  }
}

/** Whether it can run the code of others: it has a DELEGATECALL, or an older CALLCODE, among its operations. */
export function runsOthers(code: Hex): boolean {
  for (const { code: operation } of operationsOf(code))
    if (operation === 0xf4 || operation === 0xf2) return true
  return false
}

const [number, timestamp] = [0x43, 0x42]

/** The same code, for which the number of a block is its second. Undefined if it never asks for the number. */
export function withSecondsForBlocks(code: Hex): Hex | undefined {
  const places = [...operationsOf(code)].filter(operation => operation.code === number)
  if (!places.length) return undefined
  let from = 0
  const parts = places.map(({ at }) => {
    const part = code.slice(from, at)
    from = at + 2
    return part
  })
  return `${parts.join(timestamp.toString(16))}${timestamp.toString(16)}${code.slice(from)}` as Hex
}

/** What every token has, and what gives away the powers themselves. */
const plain = new Set(
  [
    'transfer(address,uint256)',
    'approve(address,uint256)',
    'transferFrom(address,address,uint256)',
    'increaseAllowance(address,uint256)',
    'decreaseAllowance(address,uint256)',
    'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
    'balanceOf(address)',
    'allowance(address,address)',
    'totalSupply()',
    'name()',
    'symbol()',
    'decimals()',
    'owner()',
    'getOwner()',
    'nonces(address)',
    'DOMAIN_SEPARATOR()',
    'burn(uint256)',
    'transferOwnership(address)',
    'renounceOwnership()',
    'acceptOwnership()',
  ].map(signature => toFunctionSelector(signature)),
)

/** The selectors of its functions: the compiler pushes them to compare a call with them. */
export function selectorsIn(codes: readonly Hex[]): Hex[] {
  const found = new Set<Hex>()
  for (const code of codes)
    for (const { pushed } of operationsOf(code))
      if (size(pushed) === 4 && pushed !== '0xffffffff' && !plain.has(pushed)) found.add(pushed)
  return [...found]
}

/** The addresses that its code contains. */
export function constantsIn(code: Hex): Address[] {
  const found = new Set<Address>()
  for (const { code: operation, pushed } of operationsOf(code)) {
    if (operation === 0x73) found.add(pushed)
    if (operation === 0x7f && /^0x0{24}(?!0{20})/.test(pushed)) found.add(`0x${pushed.slice(26)}`)
  }
  return [...found].filter(address => size(address) === 20)
}
