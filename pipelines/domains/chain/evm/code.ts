/** Reads the code of a token: its own, that of the contracts whose code it runs, and whether those can be replaced. */
import { type Address, type Hex, size } from 'viem'
import { delegatesOf, diamond, type Target, targetsOf } from './delegates.ts'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'

/** A contract whose code the token runs as its own. */
interface Delegate extends Target {
  code: Hex
  /** False where its address stands in the code that runs it. */
  replaceable: boolean
}

export interface Code {
  /** `0x` if there is no contract. */
  own: Hex
  delegates: readonly Delegate[]
  /** The words in the first places of its storage. None if the node does not tell them. */
  places: readonly Hex[]
}

/** The account of a person who has delegated it (EIP-7702). It has code, but it is not a contract. */
const delegated = /^0xef0100[0-9a-f]{40}$/

export async function codeOf(nodes: EvmNodes, address: Address, { number }: EvmBlock): Promise<Code> {
  const blockNumber = BigInt(number)
  const codeAt = async (at: Address): Promise<Hex> =>
    (await nodes.ask(client => client.getCode({ address: at, blockNumber }))).answer ?? '0x'
  const [own, named] = await Promise.all([codeAt(address), targetsOf(nodes, address, blockNumber)])
  const found = await delegatesOf(nodes, address, own, named, blockNumber)
  const codes = await Promise.all(found.map(({ address: at }) => codeAt(at)))
  const held = found.map((each, i) => ({ ...each, code: codes[i] ?? '0x' }))
  return { own, delegates: withFixed(own, held), places: named.places }
}

/** A target that stands in fixed code is fixed, too. One that a place of the storage names can be replaced. */
function withFixed(own: Hex, found: readonly Omit<Delegate, 'replaceable'>[]): Delegate[] {
  const fixed = new Set<Address>()
  const stands = (address: Address, code: Hex) => code.includes(address.slice(2).toLowerCase())
  for (let i = 0; i < found.length; i++)
    for (const { address, kind } of found) {
      const isNamed = kind !== 'EIP-1167' && kind !== 'unnamed'
      const codes = [own, ...found.filter(each => fixed.has(each.address)).map(({ code }) => code)]
      if (!isNamed && codes.some(code => stands(address, code))) fixed.add(address)
    }
  const canCut = found.some(({ code }) => code.includes(diamondCut))
  return found.map(each => ({
    ...each,
    replaceable: each.kind === diamond ? canCut : !fixed.has(each.address),
  }))
}

/** The selector of `diamondCut`, as the compiler pushes it. */
const diamondCut = '631f931c1c'

export async function isContract(nodes: EvmNodes, address: Address, { number }: EvmBlock): Promise<boolean> {
  const { answer = '0x' } = await nodes.ask(client =>
    client.getCode({ address, blockNumber: BigInt(number) }),
  )
  return size(answer) > 0 && !delegated.test(answer)
}
