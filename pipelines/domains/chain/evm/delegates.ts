/**
 * Finds the contracts whose code a token runs as its own. Where a node lists what a call touches, every way to name such a
 * contract is found, and each is put to the test: in its place a copy of the state has code that tells for whom it runs.
 */
import { type Address, type Hex, keccak256, numberToHex, toBytes, toFunctionSelector } from 'viem'
import type { EvmNodes } from './nodes.ts'
import { runsOthers } from './operations.ts'
import { isRefusal } from './simulate.ts'
import { storedAt } from './storage.ts'
import { addressOf, type Returned, wordsOf } from './words.ts'

const less = (hash: Hex): Hex => `0x${(BigInt(hash) - 1n).toString(16).padStart(64, '0')}`
const slotOf = (name: string) => less(keccak256(toBytes(name)))
const beacon = 'beacon'
export const diamond = 'EIP-2535'
const first = 'slot 0'
/** Places of the storage that name another contract. */
const slots: Readonly<Record<string, Hex>> = {
  'EIP-1967': slotOf('eip1967.proxy.implementation'),
  [beacon]: slotOf('eip1967.proxy.beacon'),
  // USDC is older than the standard.
  OpenZeppelin: keccak256(toBytes('org.zeppelinos.proxy.implementation')),
  'EIP-1822': keccak256(toBytes('PROXIABLE')),
  [first]: `0x${'0'.repeat(64)}`,
}

/** A contract whose code a token runs as its own. */
export interface Target {
  address: Address
  /** The standard that names it, or `unnamed`. */
  kind: string
}

interface Targets {
  named: readonly Target[]
  facets: readonly Address[]
  /** What the token touches while it tells its supply. Undefined if the node does not list it. */
  touched: readonly Address[] | undefined
  /** The words in its first places. None if the node does not lend code. */
  places: readonly Hex[]
}

const firstPlaces = Array.from({ length: 24 }, (_, i) => numberToHex(i, { size: 32 }))
const supply = toFunctionSelector('totalSupply()')
const nobody: Address = '0x0000000000000000000000000000000000000001'

export async function targetsOf(nodes: EvmNodes, token: Address, blockNumber: bigint): Promise<Targets> {
  const standard = Object.values(slots)
  const [held, facets, touched] = await Promise.all([
    storedAt(nodes, token, [...standard, ...firstPlaces], standard.length, blockNumber),
    returnedBy(nodes, token, 'facetAddresses()', blockNumber),
    touchedBy(nodes, token, blockNumber),
  ])
  const named = Object.keys(slots).flatMap((kind, i) => {
    const address = addressOf(held[i])
    return address ? [{ kind, address }] : []
  })
  return { named, facets: addressesIn(facets), touched, places: held.slice(standard.length) }
}

async function returnedBy(
  nodes: EvmNodes,
  to: Address,
  signature: string,
  blockNumber: bigint,
): Promise<Returned> {
  const data = toFunctionSelector(signature)
  const { answer } = await nodes.ask(client =>
    client.call({ to, data, blockNumber }).then(
      ({ data: returned }) => returned,
      // A stranger wrote the contract, so it may refuse.
      () => undefined,
    ),
  )
  return answer
}

const mostFacets = 16

function addressesIn(returned: Returned): Address[] {
  const [place, count, ...words] = wordsOf(returned)
  if (!place || BigInt(place) !== 32n || !count) return []
  const told = BigInt(count) > mostFacets ? mostFacets : Number(BigInt(count))
  return words.slice(0, told).flatMap(word => addressOf(word) ?? [])
}

async function touchedBy(
  nodes: EvmNodes,
  token: Address,
  blockNumber: bigint,
): Promise<Address[] | undefined> {
  const params = [{ from: nobody, to: token, data: supply }, numberToHex(blockNumber)]
  const { answer } = await nodes.ask(async client => {
    try {
      return (await client.request({ method: 'eth_createAccessList', params } as never)) as {
        accessList?: { address: Address }[]
      }
    } catch (error) {
      if (isRefusal(error)) return undefined
      throw error
    }
  })
  return answer?.accessList?.map(({ address }) => address)
}

const minimal = /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/
const mostTested = 8

export async function delegatesOf(
  nodes: EvmNodes,
  token: Address,
  own: Hex,
  { named, facets, touched }: Targets,
  blockNumber: bigint,
): Promise<Target[]> {
  if (!runsOthers(own)) return []
  const clone = minimal.exec(own)?.[1]
  const behind = named.find(({ kind }) => kind === beacon)
  const beaconsOwn =
    behind && !touched
      ? addressOf(await returnedBy(nodes, behind.address, 'implementation()', blockNumber))
      : undefined
  const found = new Map<string, Target>()
  const add = (address: Address | undefined, kind: string) => {
    const key = address?.toLowerCase()
    if (address && key && key !== token.toLowerCase() && BigInt(address) > 0xffffn && !found.has(key))
      found.set(key, { address, kind })
  }
  if (clone) add(`0x${clone}`, 'EIP-1167')
  for (const { kind, address } of named) if (kind !== beacon) add(address, kind)
  for (const address of facets) add(address, diamond)
  add(beaconsOwn, beacon)
  for (const address of touched ?? [])
    if (address.toLowerCase() !== behind?.address.toLowerCase()) add(address, behind ? beacon : 'unnamed')
  const candidates = [...found.values()].slice(0, mostTested + mostFacets)
  const told = await Promise.all(
    candidates.map(each => (each.kind === diamond ? true : runsFor(nodes, token, each.address, blockNumber))),
  )
  // If nothing could be tested, only the slots that are made for an implementation count.
  return candidates.filter(({ kind }, i) => told[i] ?? (kind !== first && kind !== 'unnamed'))
}

/** Answers totalSupply() with the address that it runs for, and refuses everything else. */
const teller: Hex = '0x5f3560e01c6318160ddd146011575f5ffd5b305f5260205ff3'

/** Undefined if the node refuses to override code. */
async function runsFor(
  nodes: EvmNodes,
  token: Address,
  target: Address,
  blockNumber: bigint,
): Promise<boolean | undefined> {
  const stateOverride = [{ address: target, code: teller }]
  const { answer } = await nodes.ask(async client => {
    try {
      return (await client.call({ to: token, data: supply, blockNumber, stateOverride })).data ?? '0x'
    } catch (error) {
      if (!isRefusal(error)) throw error
      return /revert/i.test(String(error)) ? ('0x' as const) : undefined
    }
  })
  return answer === undefined ? undefined : addressOf(answer)?.toLowerCase() === token.toLowerCase()
}
