/** What is told of the code behind a token, and of the powers over its holders. */
import { type Address, getAddress, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRefused } from '../../../../pipelines/domains/chain/reader.ts'
import { checkOf } from './honeypots.ts'
import { compiled, type Market, startMarket } from './market.ts'
import { asked } from './rounds.ts'

let market: Market
beforeAll(async () => {
  market = await startMarket()
  Object.assign(market.contracts, compiled('honeypots.sol'), compiled('powers.sol'))
})
afterAll(() => market?.close())

const codes = (warnings: readonly { code: string }[]) => warnings.map(({ code }) => code).sort()
const facts = async (token: Address) => {
  const told = await market.reader().token(token)
  if (isRefused(told)) throw new Error(told.because)
  return told
}
const nobody: Address = '0x0000000000000000000000000000000000000000'
const cloneOf = async (target: Address, at: Address) => {
  const code = `0x363d3d373d3d3d363d73${target.slice(2).toLowerCase()}5af43d82803e903d91602b57fd5bf3` as Hex
  await market.node.setCode({ address: at, bytecode: code })
  return at
}

describe('code that can be replaced', () => {
  const slots = {
    'EIP-1967': '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc',
    OpenZeppelin: '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3',
    'EIP-1822': '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7',
    'slot 0': `0x${'0'.repeat(64)}`,
    unnamed: `0x${'ab'.repeat(32)}`,
  }
  it.each(Object.entries(slots))('%s', async (kind, slot) => {
    const target = await market.deploy('MintTo')
    const told = await facts(await market.deploy('SlotProxy', target, slot))
    expect(told).toMatchObject({ is_proxy: true, implementation: getAddress(target) })
    expect(codes(told.warnings)).toEqual(['owner_can_mint', 'proxy'])
    expect(told.warnings.find(({ code }) => code === 'proxy')?.evidence).toContain(kind)
  })

  it('a beacon', async () => {
    const target = await market.deploy('Plainest')
    const told = await facts(await market.deploy('BeaconProxy', await market.deploy('SomeBeacon', target)))
    expect(told).toMatchObject({ is_proxy: true, implementation: getAddress(target) })
    expect(codes(told.warnings)).toEqual(['proxy'])
  })

  it('a diamond, where somebody can cut it', async () => {
    const [target, cutter] = [await market.deploy('MintTo'), await market.deploy('CutFacet')]
    const open = await facts(await market.deploy('Diamond', target, cutter))
    expect(open).toMatchObject({ is_proxy: true, implementation: getAddress(target) })
    expect(codes(open.warnings)).toEqual(expect.arrayContaining(['owner_can_mint', 'proxy']))
    const closed = await facts(await market.deploy('Diamond', target, nobody))
    expect(codes(closed.warnings)).toEqual(expect.arrayContaining(['clone', 'owner_can_mint']))
    expect(codes(closed.warnings)).not.toContain('proxy')
  })

  it('a clone of a proxy', async () => {
    const target = await market.deploy('Plainest')
    const slot = slots['EIP-1967']
    const proxy = await market.deploy('SlotProxy', target, slot)
    const clone = await cloneOf(proxy, '0x00000000000000000000000000000000000c104f')
    await market.node.setStorageAt({
      address: clone,
      index: slot as Hex,
      value: `0x${target.slice(2).padStart(64, '0')}`,
    })
    expect(codes((await facts(clone)).warnings)).toEqual(['proxy'])
  })
})

describe('code that cannot', () => {
  it('a minimal clone', async () => {
    const target = await market.deploy('Plainest')
    const told = await facts(await cloneOf(target, '0x00000000000000000000000000000000000c104e'))
    expect(told).toMatchObject({ is_proxy: true, implementation: getAddress(target) })
    expect(codes(told.warnings)).toEqual(['clone'])
  })

  it('a token that names a contract, and runs its own code by itself', async () => {
    const told = await facts(await market.deploy('Multicalls', await market.deploy('Plainest')))
    expect(told).toMatchObject({ is_proxy: false, implementation: null })
    expect(codes(told.warnings)).toEqual([])
  })
})

it.each([
  ['MintTo', 'owner_can_mint'],
  ['TradingSwitch', 'owner_can_pause'],
  ['Blacklist', 'can_freeze'],
  ['FeeSwitch', 'owner_sets_fee'],
  ['OwnerFee', 'owner_sets_fee'],
])('a power by its name: %s', async (contract, code) => {
  expect(codes((await facts(await market.deploy(contract))).warnings)).toEqual([code])
})

it('balances that grow with time are told', async () => {
  const check = await checkOf(market, 'Grows', [])
  expect(codes(check.warnings)).toContain('rebasing')
  expect(check.sellable).toBe(true)
})

it.each([
  ['a mint for the owner', 1, 'owner_can_mint'],
  ['a mint for anybody', 2, 'owner_can_mint'],
  ['a switch of trading', 3, 'owner_can_pause'],
  ['a list of accounts that cannot sell', 4, 'can_freeze'],
  ['a list that is given many accounts', 5, 'can_freeze'],
  ['a fee on sales', 6, 'owner_sets_fee'],
  ['a way to take what others hold', 7, 'permanent_delegate'],
  ['a switch without a way back', 8, 'owner_can_pause'],
] as const)('a power that no name gives away, of an owner whom nobody is told: %s', async (_, kind, code) => {
  const check = await checkOf(market, 'Hidden', [BigInt(kind)])
  expect(codes(check.warnings)).toEqual([code])
  expect(check.warnings[0]?.evidence).toContain(market.me)
  expect(check.sellable).toBe(true)
})

it.each([
  ['MintTo', 'mintTo(address,uint256)', /makes more of it/],
  ['TradingSwitch', 'setTrading(bool)', /stops trades/],
  ['Blacklist', 'setBlacklist(address,bool)', /stops the sales of one holder/],
  ['FeeSwitch', 'setFeesEnabled(bool)', /takes 25 % more of a trade/],
  ['OwnerFee', 'setTaxFeePercent(uint256)', /takes \d+.* more of a trade/],
])('a power by its name is seen at work: %s', async (contract, signature, what) => {
  const check = await checkOf(market, contract, [])
  expect(check.warnings).toHaveLength(1)
  expect(check.warnings[0]?.evidence).toContain(signature)
  expect(check.warnings[0]?.evidence).toMatch(what)
})

it('nobody has powers over a token without an owner', async () => {
  expect((await checkOf(market, 'Plainest', [])).warnings).toEqual([])
})

it('a check asks the node at most twenty times', async () => {
  const { token } = await checkOf(market, 'Stable', [], 6)
  const { calls } = await asked(() => market.reader().check(token))
  expect(calls).toBeLessThanOrEqual(20)
})
