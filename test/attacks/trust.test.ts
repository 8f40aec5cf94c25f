/** A payer who has paid once is asked for no verification before a file's upstream: what can he, or whoever names him, make of that? */
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tillPromises } from '../../schemas/till-promises.ts'
import { refusalsAMinute } from '../../services/offer/rate.ts'
import { openSelling } from '../services/query/selling.ts'
import { saidByFile } from '../services/sell/said.ts'
import { header, otherPayer, payer, seek, signed } from '../services/till/paying.ts'
import { failure, openBench } from '../services/till/tills.ts'
import { until } from '../until.ts'

const mostTrusted = 8
const walletsOf = (count: number) =>
  Array.from({ length: count }, () => privateKeyToAccount(generatePrivateKey()))

interface By {
  by?: PrivateKeyAccount
  address?: string
  from?: string
}

async function openFile(answer?: (say: string) => string | Promise<string>) {
  let asked = 0
  const { operations, find, end } = await saidByFile(async say => {
    asked++
    return answer ? answer(say) : JSON.stringify(say)
  })
  onTestFinished(end)
  const selling = await openSelling({ operations, find, trustProxy: true })
  return {
    ...selling,
    asked: () => asked,
    /** The code of its end, and what it says of a charge. */
    async buy({ by = payer as PrivateKeyAccount, address = '203.0.113.7', from }: By = {}) {
      const payment = await signed(from ? { from } : {}, Date.now(), 'base', by as never)
      const response = await selling.ask({
        path: '/said',
        body: '{}',
        headers: { 'payment-signature': header(payment), 'x-forwarded-for': address },
      })
      const { error = 'sold', charged = null } = (await response.json()) as Record<string, unknown>
      return error === 'sold' ? 'sold' : `${error}, ${charged}`
    },
  }
}
type File = Awaited<ReturnType<typeof openFile>>

/** No wallet has anything any more. */
const empty = ({ facilitator }: File) =>
  Object.assign(facilitator, { verify: 'refused', settle: 'refused', chain: 'truthful', funds: 0n })

const addressOf = (nth: number) => `198.51.100.${nth}`

describe('a wallet that is emptied after one good payment', () => {
  it('has the upstream asked eight times for nothing, from however many addresses', async () => {
    const file = await openFile()
    expect(await file.buy()).toBe('sold')
    empty(file)
    const ends = await Promise.all(
      Array.from({ length: 24 }, (_, nth) => file.buy({ address: addressOf(nth) })),
    )
    expect(new Set(ends)).toEqual(new Set(['insufficient_funds, false']))
    const before = file.asked()
    expect(before).toBeLessThanOrEqual(1 + mostTrusted)
    expect(await file.buy({ address: addressOf(99) })).toBe('insufficient_funds, false')
    expect(file.asked()).toBe(before)
  })

  it('has no long answer written', async () => {
    // What is longer than 64 KB is read in another process. With what stands around it, it is long.
    const file = await openFile(() => JSON.stringify('l'.repeat(65_520)))
    expect(await file.buy()).toBe('sold')
    const promises = async () => {
      let promised = 0
      const watching = await file.log.watch(tillPromises.topic, batch => {
        for (const { value } of batch) if (value?.includes('"step":"promised"')) promised++
      })
      await watching.caughtUp
      await watching.close()
      return promised
    }
    expect(await promises()).toBe(1)
    empty(file)
    expect(await file.buy()).toBe('insufficient_funds, false')
    expect([file.asked(), await promises()]).toEqual([2, 1])
  })
})

it('forty wallets that have paid once, then emptied, behind one address: no more than its refusals', async () => {
  const file = await openFile()
  const wallets = walletsOf(40)
  for (const [nth, by] of wallets.entries())
    expect(await file.buy({ by, address: addressOf(nth) })).toBe('sold')
  empty(file)
  const ends = await Promise.all(wallets.flatMap(by => [file.buy({ by }), file.buy({ by })]))
  expect(file.asked()).toBeLessThanOrEqual(wallets.length + refusalsAMinute)
  expect(ends.every(end => end.endsWith(', false'))).toBe(true)
})

it("the name of one who has paid, with somebody else's signature, asks nothing, and costs him no trust", async () => {
  const file = await openFile()
  expect(await file.buy()).toBe('sold')
  file.facilitator.verify = 'refused'
  for (const chain of ['truthful', 'silent'] as const) {
    file.facilitator.chain = chain
    for (let nth = 0; nth < mostTrusted; nth++) {
      const end = await file.buy({
        by: otherPayer as PrivateKeyAccount,
        from: payer.address,
        address: addressOf(nth),
      })
      expect(end).toMatch(/, false$/)
    }
  }
  expect(file.asked()).toBe(1)
  const { verify } = file.facilitator.calls
  expect(await file.buy()).toBe('sold')
  expect(file.facilitator.calls.verify).toBe(verify)
})

describe('payments that live no longer than the upstream takes', () => {
  const operation = { ...seek, trusts: true as const }
  const second = 1_000
  const from = Math.ceil(Date.now() / second) * second
  /** Of a payment that can be settled for a second more. */
  const shortOf = (now: number) => signed({ validBefore: String(Math.floor(now / second) + 9) }, now)

  it('count, and their payer is trusted no more', async () => {
    let now = from
    const bench = await openBench({ now: () => now })
    await bench.buy(await signed({}, now), { operation })
    expect(bench.facilitator.calls).toMatchObject({ verify: 1, settle: 1 })
    const answer = async () => {
      now += second + 1
      return '{"said":"late"}'
    }
    for (let nth = 0; nth < refusalsAMinute; nth++) {
      const end = bench.buy(await shortOf(now), { operation, answer })
      await expect(end).rejects.toMatchObject({ code: 'payment_expired', charged: false })
    }
    await expect(bench.buy(await shortOf(now), { operation, answer })).rejects.toThrow(
      failure('too_many_requests'),
    )
    expect(bench.runs).toBe(1 + refusalsAMinute)
    // The first of them alone was trusted.
    await until(() => bench.facilitator.calls.verify === refusalsAMinute)
    expect(bench.facilitator.calls.settle).toBe(1)
  })

  it('are told so where the answer never comes', async () => {
    const bench = await openBench({ now: () => from + 950 })
    const answer = () => new Promise<string>(() => {})
    await expect(bench.buy(await shortOf(from), { operation, answer })).rejects.toMatchObject({
      code: 'payment_expired',
      charged: false,
    })
  })
})
