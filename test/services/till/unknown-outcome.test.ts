/** A Solana, and a facilitator that says "settled" while nothing is on chain. The test moves both clocks of the till. */
import { address } from '@solana/kit'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { solanaSigner } from '../../../services/sandbox/keys.ts'
import { startSolanaChain } from '../../../services/sandbox/solana-node.ts'
import { payingClient } from '../../../services/sandbox/wallet.ts'
import { until } from '../../until.ts'
import { echo, type Signed } from './paying.ts'
import { openBench, receiptOf, settlementsOf } from './tills.ts'

const { caip2 } = networks.solana

async function openLied() {
  const clock = { date: Date.now(), steady: performance.now() }
  vi.spyOn(performance, 'now').mockImplementation(() => clock.steady)
  onTestFinished(() => void vi.restoreAllMocks())
  const now = () => clock.date
  const chain = await startSolanaChain('solana', now)
  onTestFinished(() => chain.close())
  const bench = await openBench({ limits: { sweepMs: 50 } })
  const { facilitator } = bench
  facilitator.feePayer = (await solanaSigner('facilitator')).address
  await bench.restart({
    now,
    config: {
      facilitators: [{ url: facilitator.url }],
      payTo: [{ name: 'solana', address: chain.payTo }],
      rpcUrls: { solana: [chain.rpcUrl] },
    },
  })
  const quote = JSON.parse(bench.till.quote(echo).body('payment_required', 'Pay'))
  const payment = (await (await payingClient(chain)).createPaymentPayload(quote)) as unknown as Signed

  facilitator.settle = 'no transaction'
  const heard = bench.buy(payment).catch(error => error)
  const askedAgain = async () => {
    const { settle } = facilitator.calls
    await until(() => {
      clock.steady += 20
      return facilitator.calls.settle > settle
    }, 'the facilitator to be asked again')
    return 'the till goes on'
  }
  await until(() => facilitator.calls.settle === 1)
  await askedAgain()
  expect(await Promise.race([heard, askedAgain()])).toBe('the till goes on')
  clock.steady += 15_000
  expect(await heard).toMatchObject({ code: 'payment_unknown', status: 503, charged: null })

  const { transaction } = payment.payload as unknown as { transaction: string }
  return {
    bench,
    clock,
    chain,
    payment,
    /** The till looks by itself and finds the end. No caller presents the payment. */
    ended: async () => {
      const end = async () => {
        clock.steady += 30_000
        return (await settlementsOf(bench.log)).find(({ resolved }) => resolved)
      }
      // The test moves the time fast, so only the runner's time-out ends this wait.
      await until(end, 'the end of the payment', Number.POSITIVE_INFINITY)
      return end()
    },
    async land() {
      const signer = toFacilitatorSvmSigner(await solanaSigner('facilitator'), {
        defaultRpcUrl: chain.rpcUrl,
      })
      const signed = await signer.signTransaction(transaction, address(facilitator.feePayer), caip2)
      return signer.sendTransaction(signed, caip2)
    },
  }
}

it('settled, and nothing on chain: unknown after 15 s; the answer once the transfer lands', async () => {
  const { bench, chain, payment, ended, land } = await openLied()
  expect(await chain.balance(chain.payTo)).toBe(0n)
  const tx = await land()
  expect(await ended()).toMatchObject({ state: 'settled', payment_tx: tx })
  const { settle } = bench.facilitator.calls
  expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
  expect([bench.runs, bench.facilitator.calls.settle]).toEqual([1, settle])
  expect(await chain.balance(chain.payTo)).toBe(2000n)
})

it('settled, and nothing on chain: unknown after 15 s; free once the transfer can never land', async () => {
  const { bench, clock, chain, payment, ended, land } = await openLied()
  clock.date += 120_000
  expect(await ended()).toMatchObject({ state: 'failed', reason: 'expired', payment_tx: null })
  Object.assign(bench.facilitator, { verify: 'refused', reason: 'transaction_expired' })
  await expect(bench.buy(payment)).rejects.toMatchObject({ status: 402, charged: false })
  await land().catch(() => {})
  expect(await chain.balance(chain.payTo)).toBe(0n)
})
