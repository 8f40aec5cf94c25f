/** Reads the code of a token: whether it can be replaced, and which powers its owner has. */
import { type Address, type Hex, keccak256, size, slice, toBytes, toFunctionSelector } from 'viem'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { addressOf } from './words.ts'

export interface Code {
  /** `0x` if there is no contract. */
  own: Hex
  /** Absent if it is not a proxy. */
  proxy?: { implementation: Address | null; kind: string; code: Hex }
}

const less = (hash: Hex): Hex => `0x${(BigInt(hash) - 1n).toString(16).padStart(64, '0')}`
const slotOf = (name: string) => less(keccak256(toBytes(name)))
const slots = {
  'EIP-1967': slotOf('eip1967.proxy.implementation'),
  beacon: slotOf('eip1967.proxy.beacon'),
  // USDC is older than the standard.
  OpenZeppelin: keccak256(toBytes('org.zeppelinos.proxy.implementation')),
} as const

const minimal = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/
/** The account of a person who has delegated it (EIP-7702). It has code, but it is not a contract. */
const delegated = /^0xef0100[0-9a-f]{40}$/

export async function codeOf(nodes: EvmNodes, address: Address, { number }: EvmBlock): Promise<Code> {
  const blockNumber = BigInt(number)
  const { answer } = await nodes.ask(client =>
    Promise.all([
      client.getCode({ address, blockNumber }),
      ...Object.values(slots).map(slot => client.getStorageAt({ address, slot, blockNumber })),
    ]),
  )
  const [own = '0x', ...held] = answer
  const clone = minimal.exec(own)?.[1]
  const found = Object.keys(slots).map((kind, i) => ({ kind, address: addressOf(held[i]) }))
  const named = found.find(({ address: at }) => at)
  if (clone) return withCode(nodes, own, `0x${clone}`, 'EIP-1167', blockNumber)
  if (!named?.address) return { own }
  const target =
    named.kind === 'beacon' ? await implementationOf(nodes, named.address, number) : named.address
  return withCode(nodes, own, target, named.kind, blockNumber)
}

async function implementationOf(nodes: EvmNodes, beacon: Address, number: number): Promise<Address | null> {
  const data = toFunctionSelector('implementation()')
  const { answer } = await nodes.ask(client =>
    client.call({ to: beacon, data, blockNumber: BigInt(number) }).then(
      ({ data: returned }) => returned,
      // A stranger wrote the beacon, so it may refuse.
      () => undefined,
    ),
  )
  return addressOf(answer) ?? null
}

async function withCode(
  nodes: EvmNodes,
  own: Hex,
  implementation: Address | null,
  kind: string,
  blockNumber: bigint,
): Promise<Code> {
  if (!implementation) return { own, proxy: { implementation, kind, code: '0x' } }
  const { answer } = await nodes.ask(client => client.getCode({ address: implementation, blockNumber }))
  return { own, proxy: { implementation, kind, code: answer ?? '0x' } }
}

export async function isContract(nodes: EvmNodes, address: Address, { number }: EvmBlock): Promise<boolean> {
  const { answer = '0x' } = await nodes.ask(client =>
    client.getCode({ address, blockNumber: BigInt(number) }),
  )
  return size(answer) > 0 && !delegated.test(answer)
}

/** The power that a function in the code gives to an account, or has over balances. */
const powers = {
  owner_can_mint: ['mint(address,uint256)', 'mint(uint256)', 'issue(uint256)'],
  owner_can_pause: ['pause()', 'enableTrading(bool)', 'setTrading(bool)'],
  rebasing: ['rebase(uint256,int256)', 'sharesOf(address)', 'scaledBalanceOf(address)'],
  can_freeze: ['blacklist(address)', 'addBlackList(address)', 'freeze(address)', 'setBots(address[],bool)'],
} as const
type Power = keyof typeof powers

/** The code compares a call with the selector of each function. The compiler writes that selector as a push of 4 bytes. */
export function powersIn({ own, proxy }: Code): { power: Power; signature: string }[] {
  const code = `${own}${proxy?.code ?? ''}`
  return (Object.keys(powers) as Power[]).flatMap(power => {
    const signature = powers[power].find(each =>
      code.includes(`63${slice(toFunctionSelector(each), 0).slice(2)}`),
    )
    return signature ? [{ power, signature }] : []
  })
}
