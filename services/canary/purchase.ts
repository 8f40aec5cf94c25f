/** Buys one call as a customer does, and says how it has ended. It pays once, whatever it hears. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '../../pipelines/domains/payments/finder.ts'
import type { OwnPayment, PayingWallet } from '../../pipelines/domains/payments/wallet.ts'
import type { CanaryPurchase } from '../../schemas/canary-purchases.ts'
import { type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { instant } from '../../schemas/values/values.ts'
import { ask, type Heard } from '../client/connection.ts'
import { base64, fromBase64, type Offer, quoteIn, usdOf } from '../client/quote.ts'
import type { Operation } from '../offer/operation.ts'
import { type CanarySale, checkAnswer, checkChain, checkSignature, Flaw, offerIn } from './checks.ts'
import type { CanaryFacts } from './facts.ts'

export interface Shopping {
  name: NetworkName
  wallet: PayingWallet
  /** The payee whom the operator knows. */
  payTo?: string | undefined
  /** Where it buys. */
  url: string
  /** What customers know it by, and what quotes and receipts name. */
  address: string
  operation: Pick<Operation, 'id' | 'path' | 'response' | 'example'>
  signer: string | undefined
  facts: Pick<CanaryFacts, 'tell' | 'intend'>
  now: () => number
  nextAt: number
  fetch?: typeof fetch
  /** How long the chain may take to show the payment. */
  chainMs?: number
}

/** So the seller's door knows whose calls are no interest of a customer. */
const userAgent = 'farebox-canary'
/** Customers are as patient. */
const patienceMs = 60_000
const logMs = 60_000
const usualChainMs = 90_000
const lookMs = 2000

export async function buy(shopping: Shopping): Promise<CanaryPurchase> {
  const { name, wallet, operation, facts, now, nextAt } = shopping
  const purchase: CanaryPurchase = {
    ...{ purchase_id: randomUUID(), state: 'failed', at: instant(now()) },
    ...{ network: networks[name].receipt, operation: operation.path, price_usdc: '0', payer: wallet.address },
    ...{ pay_to: null, request_id: null, payment_tx: null, failed_step: null, reason: null, took_ms: null },
    next_at: instant(nextAt),
  }
  try {
    await new Purchase(shopping, purchase).run()
  } catch (error) {
    const { step, message } = error instanceof Flaw ? error : new Flaw('payment', String(error))
    Object.assign(purchase, { state: 'failed', failed_step: step, reason: message })
  }
  const ended = { ...purchase, at: instant(Math.max(now(), Date.parse(purchase.at) + 1)) }
  await facts.tell(ended)
  return ended
}

class Purchase {
  readonly #shopping: Shopping
  /** Grows with what is known. */
  readonly #purchase: CanaryPurchase
  readonly #resource: string

  constructor(shopping: Shopping, purchase: CanaryPurchase) {
    this.#shopping = shopping
    this.#purchase = purchase
    this.#resource = shopping.address + shopping.operation.path
  }

  async run(): Promise<void> {
    const { wallet, now } = this.#shopping
    const { quote, offer } = await this.#quoted()
    Object.assign(this.#purchase, { price_usdc: usdOf(offer.amount), pay_to: offer.payTo })
    if (!(await this.#mayPay())) return
    const sentAt = now()
    const payment = await wallet.sign(termsOf(offer)).catch(error => {
      throw new Flaw('payment', (error as Error).message)
    })
    const begun = performance.now()
    const { resource, extensions } = quote
    const paid = base64({
      ...{ x402Version: 2, resource, accepted: offer, payload: payment.payload },
      ...(extensions && { extensions }),
    })
    const heard = await this.#post({ 'payment-signature': paid }).catch((error: Flaw) => error)
    this.#purchase.took_ms = Math.round(performance.now() - begun)
    await this.#judge(heard, offer, payment, sentAt)
    this.#purchase.state = 'good'
  }

  async #quoted() {
    const { name, payTo } = this.#shopping
    const { response, code } = await this.#post({})
    if (response.status !== 402) throw new Flaw('quote', `not a 402, but ${response.status} ${code}`)
    const quote = quoteIn(response)
    const offer = offerIn(quote, { name, payTo, resource: this.#resource })
    return { quote: quote as NonNullable<typeof quote>, offer }
  }

  /** Is there room in the budget of the day? The intent is in the log before anything is signed. */
  async #mayPay(): Promise<boolean> {
    const { facts } = this.#shopping
    const intent = { ...this.#purchase, state: 'intended' as const }
    const counts = await facts.intend(intent, AbortSignal.timeout(logMs)).catch(() => {
      throw new Flaw('log', 'the log has not shown the intent, so nothing was paid')
    })
    if (!counts)
      Object.assign(this.#purchase, { state: 'skipped', reason: 'the budget of the day is used up' })
    return counts
  }

  /** What was paid is looked for on the chain, whatever was answered. */
  async #judge(heard: Heard | Flaw, offer: Offer, payment: OwnPayment, sentAt: number): Promise<void> {
    const look = (tx?: string) => this.#look(payment, sentAt, tx)
    try {
      if (heard instanceof Flaw) throw heard
      const { response, json, code } = heard
      if (!response.ok) throw new Flaw('answer', `${response.status} ${code}: ${String(json.message ?? '')}`)
      const bought = this.#bought(heard, offer)
      const { requestId, tx } = checkAnswer(bought)
      this.#purchase.request_id = requestId
      checkSignature(bought, await this.#signers())
      const finding = await look(tx)
      this.#purchase.payment_tx = finding?.found ? finding.tx : null
      checkChain(finding, tx)
    } catch (error) {
      if (!(error instanceof Flaw) || error.step === 'chain') throw error
      const finding = await look()
      if (!finding?.found) throw error
      this.#purchase.payment_tx = finding.tx
      throw new Flaw(error.step, `${error.message}; and it was paid`)
    }
  }

  #bought({ response, json }: Heard, offer: Offer): CanarySale {
    const { name, operation, wallet } = this.#shopping
    const settlement = fromBase64(response.headers.get('payment-response') ?? '')
    return {
      ...{ name, operation, offer, settlement, answer: json, resource: this.#resource },
      ...{ question: operation.example.request as object, payer: wallet.address },
    }
  }

  /** By the operator's word, or else by the seller's. This is asked without a wallet: whoever wants money for it gets none. */
  async #signers(): Promise<readonly string[] | undefined> {
    const { signer, url, fetch: send = fetch } = this.#shopping
    if (signer) return [signer]
    const heard = await ask({ method: 'GET' }, '/receipts/signer', { url, patienceMs, send })
    if ('lost' in heard) throw new Flaw('signature', heard.lost)
    if (heard.response.status === 404) return undefined
    if (!heard.response.ok)
      throw new Flaw('signature', `the seller does not say who signs: ${heard.response.status}`)
    return [String(heard.json.signer)]
  }

  async #post(headers: Record<string, string>): Promise<Heard> {
    const { operation, url, fetch: send = fetch } = this.#shopping
    const isPaid = 'payment-signature' in headers
    const request = {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': userAgent },
        'idempotency-key': this.#purchase.purchase_id,
        ...headers,
      },
      body: JSON.stringify(operation.example.request),
    }
    const asking = isPaid ? { until: Date.now() + patienceMs, paid: true } : {}
    const heard = await ask(request, operation.path, { url, patienceMs, send }, asking)
    if ('lost' in heard) throw new Flaw(isPaid ? 'answer' : 'quote', heard.lost)
    return heard
  }

  /** Asks the chain until it has spoken. */
  async #look({ trace }: OwnPayment, sentAt: number, tx?: string): Promise<Finding | undefined> {
    const { wallet, chainMs = usualChainMs } = this.#shopping
    const until = performance.now() + chainMs
    for (;;) {
      const finding = await wallet.find(trace, sentAt, tx).catch(() => undefined)
      if (finding?.found || finding?.final || performance.now() + lookMs > until) return finding
      await sleep(lookMs)
    }
  }
}

const termsOf = ({ amount, payTo, maxTimeoutSeconds, extra }: Offer) => ({
  ...{ payTo, maxTimeoutSeconds, amount: BigInt(amount) },
  feePayer: typeof extra?.feePayer === 'string' ? extra.feePayer : undefined,
})
