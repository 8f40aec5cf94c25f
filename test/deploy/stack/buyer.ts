/** A customer who buys all the time, whatever happens to the sellers. He presents each payment until he knows how it ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { payingClient, type Reachable } from '../../../services/sandbox/wallet.ts'

interface Ended {
  amount: bigint
  /** Undefined if the payment was refused for good. */
  paymentTx: string | undefined
  /** How often he presented it, and what he heard. */
  heard: string[]
}

export interface Buyer {
  ended: readonly Ended[]
  /** Resolves when the purchase under way has ended. */
  stop(): Promise<void>
}

const question = { method: 'POST', body: '{"from":"USD","to":"JPY"}' }
const json = { 'content-type': 'application/json' }
const patienceMs = 30_000
const pauseMs = 250

export async function keepBuying(sellers: readonly string[], chain: Reachable): Promise<Buyer> {
  const client = await payingClient(chain)
  const ended: Ended[] = []
  let asked = 0
  let isOpen = true
  /** As a balancer does, he asks another seller each time. */
  const ask = async (headers: Record<string, string>) => {
    const seller = sellers[asked++ % sellers.length]
    const signal = AbortSignal.timeout(patienceMs)
    const answer = await fetch(`${seller}/fx`, { ...question, headers: { ...json, ...headers }, signal })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const asks = (headers: Record<string, string> = {}) => ask(headers).catch(() => undefined)

  async function buy(): Promise<Ended | undefined> {
    const offer = await asks()
    if (offer?.status !== 402) return undefined
    const quote = JSON.parse(Buffer.from(offer.headers.get('payment-required') ?? '', 'base64').toString())
    const payment = await client.createPaymentPayload(quote)
    const signed = { 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') }
    const heard: string[] = []
    const { amount } = payment.accepted as { amount: string }
    for (;;) {
      const answer = await asks(signed)
      heard.push(answer ? `${answer.status} ${answer.text.slice(0, 300)}` : 'nothing')
      if (answer?.status === 200) {
        const { receipt } = JSON.parse(answer.text) as { receipt: { payment_tx: string } }
        return { amount: BigInt(amount), paymentTx: receipt.payment_tx, heard }
      }
      // Its price, or its time, is over: nobody will take it.
      if (answer?.status === 402) return { amount: BigInt(amount), paymentTx: undefined, heard }
      await sleep(pauseMs)
    }
  }
  const buying = (async () => {
    while (isOpen) {
      const end = await buy()
      if (end) ended.push(end)
      await sleep(pauseMs)
    }
  })()
  return {
    ended,
    stop: async () => {
      isOpen = false
      await buying
    },
  }
}
