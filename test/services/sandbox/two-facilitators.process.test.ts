/** The sandbox as `npm start` runs it, while one of its two facilitators is silent, killed, or lies. */
import { expect, it, onTestFinished } from 'vitest'
import { type NetworkName, networks } from '../../../schemas/tables/networks.ts'
import { evmBalance } from '../../../services/sandbox/evm-chain.ts'
import { evmAccount } from '../../../services/sandbox/keys.ts'
import { findNote, type Note } from '../../../services/sandbox/note.ts'
import { payingClient, type Reachable } from '../../../services/sandbox/wallet.ts'
import { until } from '../../until.ts'
import { runSandbox } from './running.ts'

const price = 2000n

async function openShop() {
  const sandbox = await runSandbox({ RATE_LIMIT: '100000' })
  onTestFinished(() => sandbox.stop())
  const note = (await findNote(sandbox.folder)) as Note
  const { url } = sandbox
  const chainOf = (network: NetworkName) =>
    note.chains.find(chain => chain.network === network) as Reachable & { network: 'base' }
  const ask = (header?: string) =>
    fetch(`${url}/fx`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(header && { 'payment-signature': header }) },
      body: '{"from":"USD","to":"JPY"}',
    })
  const quoted = async () =>
    JSON.parse(Buffer.from((await ask()).headers.get('payment-required') ?? '', 'base64').toString())
  async function pay(network: NetworkName) {
    const client = await payingClient(chainOf(network))
    const { accepts, ...quote } = await quoted()
    const own = accepts.filter((offer: { network: string }) => offer.network === networks[network].caip2)
    const payment = await client.createPaymentPayload({ ...quote, accepts: own })
    return Buffer.from(JSON.stringify(payment)).toString('base64')
  }
  const buy = async (network: NetworkName) => {
    const answer = await ask(await pay(network))
    return { status: answer.status, body: (await answer.json()) as { receipt?: { payment_tx: string } } }
  }
  return {
    buy,
    quoted,
    ask,
    pay,
    steer: (nth: 1 | 2, conduct: string) =>
      fetch(`${note.facilitators}/${nth}/${conduct}`, { method: 'POST' }),
    page: async (path: string) => (await fetch(url + path)).text(),
    earned: () => evmBalance('base', chainOf('base').rpcUrl, evmAccount('payTo').address),
  }
}

it('64 sales in flight at a facilitator that falls silent and is killed are all paid once, and sales go on', async () => {
  const { buy, ask, pay, steer, earned, quoted, page } = await openShop()
  expect((await buy('base')).status).toBe(200)
  const payments = await Promise.all(Array.from({ length: 64 }, () => pay('base')))
  const before = await earned()
  await steer(1, 'hang')
  const sales = payments.map(async payment => {
    const answer = await ask(payment)
    return { answer, at: performance.now() }
  })
  await until(async () =>
    /sales_in_flight\{network="base",step="settle"\} [1-9]/.test(await page('/metrics')),
  )
  const killedAt = performance.now()
  await steer(1, 'stop')
  const sold = await Promise.all(sales)
  const answers = sold.map(({ answer }) => answer)
  const waitsMs = sold.map(({ at }) => Math.round(at - killedAt)).toSorted((a, b) => a - b)
  process.stdout.write(
    `64 sales at a facilitator that is killed end after ${waitsMs[0]} to ${waitsMs.at(-1)} ms\n`,
  )
  expect(answers.map(({ status }) => status)).toEqual(payments.map(() => 200))
  const receipts = await Promise.all(
    answers.map(async answer => JSON.parse(await answer.text()).receipt.payment_tx),
  )
  expect(new Set(receipts).size).toBe(64)
  expect((await earned()) - before).toBe(64n * price)

  expect((await buy('base')).status).toBe(200)
  const solana = ({ accepts }: { accepts: { network: string; extra: { feePayer: string } }[] }) =>
    accepts.find(({ network }) => network === networks.solana.caip2)?.extra.feePayer
  const feePayer = solana(await quoted())
  expect((await buy('solana')).status).toBe(200)
  expect(await page('/status')).toMatch(/does not answer/)
  await steer(1, 'work')
  await until(async () => solana(await quoted()) !== feePayer, 'the first to be quoted again', 30_000)
  expect((await buy('solana')).status).toBe(200)
  expect((await buy('base')).status).toBe(200)
  // Its quotes are on Solana, so it settles there.
  await steer(1, 'delist')
  expect((await buy('solana')).status).toBe(200)
  await until(async () => /the sandbox has it refuse everything/.test(await page('/status')), 'its refusal')
})

// It takes the life of an authorization. test/services/till/facilitators.test.ts shows the same beside stubs.
it.skipIf(!process.env.LONG_FORM)(
  'one that lies is found by the chain, and the other settles from then on',
  async () => {
    const { buy, steer, earned, page } = await openShop()
    const before = await earned()
    await steer(1, 'lie')
    expect((await buy('base')).status).toBe(200)
    // The other has settled it meanwhile, so the transaction that it named is none of the payment.
    const lies = /farebox_facilitator_lies_total\{kind="transaction",facilitator="[^"]+"\} 1/
    await until(async () => lies.test(await page('/metrics')), 'the lie', 150_000)
    expect((await buy('base')).status).toBe(200)
    expect((await earned()) - before).toBe(price + price)
    await until(async () => /denied its word/.test(await page('/status')), 'the word on its page')
  },
)
