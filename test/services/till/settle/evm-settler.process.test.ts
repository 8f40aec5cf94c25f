import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { costsOf } from '../../../../pipelines/domains/payments/cost.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import type { SettleCost } from '../../../../schemas/settle-costs.ts'
import { startEvmChain } from '../../../../services/sandbox/evm-chain.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import type { EvmSettler } from '../../../../services/till/settle/evm-settler.ts'
import { alerts } from '../../../deploy/queries.ts'
import { until } from '../../../until.ts'
import { offerOn, payer, signed } from '../paying.ts'
import {
  blocksOf,
  contractWallet,
  emptiedWallet,
  openEvm,
  payers,
  proxied,
  receiptOf,
  settlingProcess,
  spendOf,
} from './bench.ts'

type Payer = typeof payer
type Spend = Awaited<ReturnType<typeof spendOf>>

const gasLow = alerts.find(({ alert }) => alert === 'SettleGasLow')

let chain: PlayChain
let settler: EvmSettler
beforeAll(async () => {
  chain = await startEvmChain('base')
})
afterEach(() => settler?.close())
afterAll(() => chain?.close())

const earned = () => chain.balance(chain.payTo)

describe('one payment', () => {
  it('moves its money once, however often it comes', async () => {
    settler = await openEvm(chain)
    const before = await earned()
    const spend = await spendOf(settler, chain, payer)
    expect(await settler.obstacle(spend)).toBeUndefined()
    const [first, second] = await Promise.all([settler.settle(spend), settler.settle(spend)])
    expect(first).toEqual({ success: true, transaction: expect.stringMatching(/^0x/) })
    expect(second).toEqual(first)
    // It comes again after its end: the transaction that took it is found by its nonce.
    expect(await settler.settle(spend)).toEqual(first)
    expect(await earned()).toBe(before + 2000n)
  })

  it('names the transaction of somebody who sent it before us', async () => {
    settler = await openEvm(chain)
    const other = await openEvm(chain)
    const spend = await spendOf(settler, chain, payer)
    const theirs = await other.settle(spend)
    await other.close()
    expect(await settler.settle(spend)).toEqual(theirs)
  })

  it('is refused for sure while nothing was sent', async () => {
    settler = await openEvm(chain)
    const [poor] = await payers(chain, 1)
    const spend = await spendOf(settler, chain, poor as typeof payer, { value: '2000' })
    const all = await spendOf(settler, chain, poor as typeof payer)
    await settler.settle(all)
    const { transaction } = (await settler.settle(spend)) as { transaction: string }
    expect(transaction).not.toBe('')
    const broke = await spendOf(settler, chain, payer)
    await chain.drain()
    expect(await settler.obstacle(broke)).toBe('invalid_exact_evm_insufficient_balance')
    expect(await settler.settle(broke)).toEqual({
      ...{ success: false, transaction: '' },
      errorReason: 'invalid_exact_evm_insufficient_balance',
    })
    await chain.fund(1_000_000_000n)
  })

  it('is not sent while gas costs more than the operator gives', async () => {
    const told: string[] = []
    settler = await openEvm(chain, { mostFee: 1n, onError: error => told.push(String(error)) })
    expect(settler.terms()).toBeUndefined()
    for (let nth = 0; nth < 2; nth++)
      expect(await settler.settle(await spendOf(settler, chain, payer))).toEqual({
        ...{ success: false, transaction: '', errorReason: 'settlement_not_sent' },
      })
    expect(told).toEqual([
      expect.stringMatching(
        /^Error: gas costs [\d.]+ gwei on base, more than SETTLE_MOST_GWEI allows \(1e-9\)/,
      ),
    ])
  })
})

describe('a transaction that no block takes', () => {
  const blocks = () => blocksOf(chain)
  afterEach(() => blocks().resume())

  it('is replaced by itself with a higher fee, and settles once', async () => {
    settler = await openEvm(chain)
    const before = await earned()
    const spend = await spendOf(settler, chain, payer)
    await blocks().stop()
    const settling = settler.settle(spend)
    await blocks().sent()
    const [first] = await blocks().waiting()
    await until(async () => (await blocks().waiting())[0]?.hash !== first?.hash, 'a higher fee', 30_000)
    const [second, ...more] = await blocks().waiting()
    expect(more).toEqual([])
    expect(BigInt(second?.maxFeePerGas ?? 0)).toBeGreaterThan(BigInt(first?.maxFeePerGas ?? 0))
    await blocks().mine()
    expect(await settling).toMatchObject({ success: true })
    expect(await earned()).toBe(before + 2000n)
  })

  it('outlives the process that sent it: the payment moves once, and the next process says where', async () => {
    settler = await openEvm(chain)
    const before = await earned()
    const spend = await spendOf(settler, chain, payer)
    const other = await settlingProcess(chain)
    await blocks().stop()
    const body = JSON.stringify({
      paymentPayload: { payload: spend.payload },
      paymentRequirements: { ...offerOn('base'), payTo: chain.payTo },
    })
    const lost = fetch(`${other.url}/settle`, { method: 'POST', body })
    lost.catch(() => {})
    await blocks().sent()
    await other.kill()
    await expect(lost).rejects.toThrow()
    // Its transaction still waits, and the same key sends the same payment once more.
    const again = settler.settle(spend)
    await until(async () => {
      await blocks().mine()
      return (await earned()) > before
    }, 'the transfer')
    const settled = await again
    expect(settled).toMatchObject({ success: true })
    expect((await receiptOf(chain, settled.transaction)).status).toBe('success')
    expect(await earned()).toBe(before + 2000n)
    expect(await blocks().waiting()).toEqual([])
  })

  it('that another of its key outruns goes with the next number, and its payer stays welcome', async () => {
    settler = await openEvm(chain)
    const [one] = await payers(chain, 1)
    const spends = [await spendOf(settler, chain, one as Payer), await spendOf(settler, chain, one as Payer)]
    const [first, second] = spends as [Spend, Spend]
    await blocks().stop()
    const settling = settler.settle(first)
    await blocks().sent()
    const account = privateKeyToAccount(chain.settleKey as Hex)
    const nonce = await blocks().client.getTransactionCount({ address: account.address })
    // What an earlier life of the process had left with a node.
    const raw = await account.signTransaction({
      ...{ type: 'eip1559', chainId: 8453, nonce, gas: 21_000n, to: account.address },
      ...{ maxFeePerGas: 90n * 10n ** 9n, maxPriorityFeePerGas: 80n * 10n ** 9n },
    })
    await blocks().client.sendRawTransaction({ serializedTransaction: raw })
    await blocks().resume()
    expect(await settling).toMatchObject({ success: true })
    expect(await settler.settle(second)).toMatchObject({ success: true })
  })
})

describe('a wallet with code', () => {
  it('goes alone, and pays', async () => {
    settler = await openEvm(chain, { windowMs: 2000 })
    const [contract, ...others] = (await payers(chain, 3)) as [typeof payer, ...(typeof payer)[]]
    await contractWallet(chain, contract.address, 'little')
    const spends = await Promise.all([contract, ...others].map(by => spendOf(settler, chain, by)))
    const settled = await Promise.all(spends.map(spend => settler.settle(spend)))
    expect(settled.map(({ success }) => success)).toEqual([true, true, true])
    const [own, ...common] = settled.map(({ transaction }) => transaction)
    expect(new Set(common).size).toBe(1)
    expect(common).not.toContain(own)
  })

  it('whose signature takes too much gas is refused before anything is sent', async () => {
    settler = await openEvm(chain)
    const [dear] = (await payers(chain, 1)) as [typeof payer]
    await contractWallet(chain, dear.address, 'much')
    const spend = await spendOf(settler, chain, dear)
    expect(await settler.settle(spend)).toMatchObject({ success: false, transaction: '' })
    expect(await chain.balance(dear.address)).toBe(1_000_000n)
  })
})

it('a key that another process holds is not used', async () => {
  const running = { ended: new Promise<void>(() => {}), close: async () => {} }
  settler = await openEvm(chain, { alone: () => running })
  expect(settler.terms()).toBeUndefined()
  expect(await settler.settle(await spendOf(settler, chain, payer))).toEqual({
    ...{ success: false, transaction: '', errorReason: 'settlement_not_sent' },
  })
})

describe('a key with few coins', () => {
  const coinsFor = async (key: Hex, gas: bigint) => {
    const { client } = blocksOf(chain)
    const { maxFeePerGas } = await client.estimateFeesPerGas()
    await client.setBalance({ address: privateKeyToAccount(key).address, value: gas * maxFeePerGas })
  }
  const few = 1_900_000n
  /** Whether the alert of operators, by its own bound, fires for what this key holds now. */
  const firesFor = async (key: string) => {
    const [, least] = /\(farebox_settle_key_sales\) < (\d+)$/.exec(gasLow?.expr ?? '') ?? []
    const { address } = privateKeyToAccount(key as Hex)
    const told = (await metrics.settleKeySales.get()).values.find(({ labels }) => labels.key === address)
    return (told?.value as number) < Number(least)
  }

  it('settles as many at once as it can pay for, and none fails', async () => {
    const key = generatePrivateKey()
    await coinsFor(key, few)
    settler = await openEvm(chain, { keys: [key] })
    expect(settler.terms()).toEqual({})
    const spends = await Promise.all((await payers(chain, 24)).map(by => spendOf(settler, chain, by)))
    const settled = await Promise.all(spends.map(spend => settler.settle(spend)))
    expect(settled.filter(({ success }) => !success)).toEqual([])
  })

  it('tells what a transaction took, as anybody can ask the chain afterwards', async () => {
    const told: SettleCost[] = []
    settler = await openEvm(chain, { spent: cost => told.push(cost) })
    const { transaction } = await settler.settle(await spendOf(settler, chain, payer))
    const costOf = costsOf('base', [chain.rpcUrl])
    const [cost] = told.filter(({ tx }) => tx === transaction)
    expect(cost).toMatchObject({ transfers: 1, gas: expect.any(Number) })
    expect(await costOf(transaction)).toEqual({
      ...{ gas: cost?.gas, coins: cost?.coins, below: cost?.coins_below },
    })
    expect(await costOf(`0x${'0'.repeat(64)}`)).toBeUndefined()
  })

  it('leaves payments to the other key when it has none', async () => {
    const key = generatePrivateKey()
    await coinsFor(key, 10_000n)
    settler = await openEvm(chain, { keys: [key, chain.settleKey], windowMs: 0 })
    expect(await firesFor(key)).toBe(true)
    expect(await firesFor(chain.settleKey)).toBe(false)
    for (const by of await payers(chain, 3))
      expect(await settler.settle(await spendOf(settler, chain, by))).toMatchObject({ success: true })
  })
})

it('two payments with one nonce are two: the one that moves no money is not told the transaction of the other', async () => {
  settler = await openEvm(chain)
  const nonce = `0x${'5e'.repeat(32)}`
  const [by] = (await payers(chain, 1)) as [typeof payer]
  const cheap = await spendOf(settler, chain, by, { nonce })
  const less = { to: chain.payTo, nonce, value: '1000' }
  const { payload } = await signed(less, Date.now(), 'base', by)
  const offer = { ...offerOn('base'), scheme: 'exact' as const, payTo: chain.payTo, amount: '1000' }
  const other = await settler.check(payload, offer)
  expect(other.spendId).toBe(cheap.spendId)
  const settled = await Promise.all([settler.settle(cheap), settler.settle(other)])
  expect(settled.filter(({ success }) => success)).toHaveLength(1)
})

it('two keys settle side by side', async () => {
  const other = generatePrivateKey()
  const { client } = blocksOf(chain)
  await client.setBalance({ address: privateKeyToAccount(other).address, value: 10n ** 18n })
  settler = await openEvm(chain, { keys: [chain.settleKey, other], windowMs: 0 })
  const before = await earned()
  const some = await payers(chain, 4)
  const spends = await Promise.all(some.map(by => spendOf(settler, chain, by)))
  const blocks = blocksOf(chain)
  await blocks.stop()
  const settling = Promise.all(spends.map(spend => settler.settle(spend)))
  await until(async () => (await blocks.waiting()).length === 2, 'two transactions')
  await blocks.resume()
  expect((await settling).map(({ success }) => success)).not.toContain(false)
  expect(await earned()).toBe(before + 4n * 2000n)
})

it('while the chain takes back what it showed, nothing takes its place', async () => {
  settler = await openEvm(chain)
  const { client } = blocksOf(chain)
  const point = await client.snapshot()
  expect(await settler.settle(await spendOf(settler, chain, payer))).toMatchObject({ success: true })
  await client.revert({ id: point })
  expect(await settler.settle(await spendOf(settler, chain, payer))).toEqual({
    ...{ success: false, transaction: '', errorReason: 'settlement_not_sent' },
  })
})

describe('many payments', () => {
  it('go in one transaction, for 0.6 of the gas of one, on a token behind a proxy', async () => {
    // Here a busy machine needs longer to bring them all.
    settler = await openEvm(chain, { windowMs: 5000 })
    await proxied(chain)
    const crowd = await payers(chain, 111)
    // The payee holds some already.
    expect(await earned()).toBeGreaterThan(0n)
    const gas: Record<number, number> = {}
    for (const count of [1, 10, 100]) {
      const before = await earned()
      const some = crowd.splice(0, count)
      const spends = await Promise.all(some.map(by => spendOf(settler, chain, by)))
      const settled = await Promise.all(spends.map(spend => settler.settle(spend)))
      expect(settled.map(({ success }) => success)).not.toContain(false)
      const hashes = new Set(settled.map(({ transaction }) => transaction))
      expect(hashes.size).toBe(1)
      const { gasUsed } = await receiptOf(chain, [...hashes][0] as Hex)
      gas[count] = Number(gasUsed) / count
      expect(await earned()).toBe(before + BigInt(count) * 2000n)
    }
    expect(gas[100], JSON.stringify(gas)).toBeLessThan(0.6 * (gas[1] as number))
    process.stdout.write(`gas for each sale in a transaction of so many: ${JSON.stringify(gas)}\n`)
  })

  it('one that cannot move delays no other', async () => {
    settler = await openEvm(chain)
    const [poor, ...rich] = (await payers(chain, 6)) as [typeof payer, ...(typeof payer)[]]
    const spends = await Promise.all([poor, ...rich].map(by => spendOf(settler, chain, by)))
    // The wallet gets code after we have seen it without: its signature is asked of a loop without end.
    await settler.settle(await spendOf(settler, chain, poor))
    await blocksOf(chain).client.setCode({ address: poor.address, bytecode: '0x5b600056' })
    const settled = await Promise.all(spends.map(spend => settler.settle(spend)))
    expect(settled.slice(1).map(({ success }) => success)).not.toContain(false)
    expect(settled[0]).toMatchObject({ success: false })
  })

  it('a payer who empties his wallet in the block gets no further fee of ours', async () => {
    settler = await openEvm(chain)
    const [emptied, other] = (await payers(chain, 2)) as [typeof payer, typeof payer]
    const spends = await Promise.all([emptied, other].map(by => spendOf(settler, chain, by)))
    const blocks = blocksOf(chain)
    await blocks.stop()
    const settling = Promise.all(spends.map(spend => settler.settle(spend)))
    await blocks.sent()
    await emptiedWallet(chain, emptied.address)
    await blocks.resume()
    const [failed, settled] = await settling
    expect(settled).toMatchObject({ success: true })
    expect(failed).toMatchObject({ success: false, transaction: expect.stringMatching(/^0x/) })
    expect(await settler.settle(await spendOf(settler, chain, emptied))).toEqual({
      ...{ success: false, transaction: '', errorReason: 'settlement_not_sent' },
    })
  })

  it('one that takes the gas of all in the block is left alone, and the others settle', async () => {
    settler = await openEvm(chain)
    const before = await earned()
    const [thief, ...honest] = (await payers(chain, 6)) as [typeof payer, ...(typeof payer)[]]
    const spends = await Promise.all([thief, ...honest].map(by => spendOf(settler, chain, by)))
    const blocks = blocksOf(chain)
    await blocks.stop()
    const settling = Promise.all(spends.map(spend => settler.settle(spend)))
    await blocks.sent()
    await blocks.client.setCode({ address: thief.address, bytecode: '0x5b600056' })
    await blocks.resume()
    const [stolen, ...settled] = await settling
    expect(settled.map(({ success }) => success)).not.toContain(false)
    // What was sent is never called free.
    expect(stolen).toMatchObject({ success: false, transaction: expect.stringMatching(/^0x/) })
    expect(await earned()).toBe(before + 5n * 2000n)
  })
})
