/** One customer with one payment. He presents it again until he learns how it ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { networks } from '../../schemas/tables/networks.ts'
import { type ErrorCode, errors } from '../../services/offer/errors.ts'
import { idempotencyKey, paymentKey, proofKey } from '../../services/query/mcp/payment.ts'
import { message } from '../services/query/mcp/message.ts'
import {
  answerTo,
  authorized,
  type Challenge as Challenge402,
  challengesIn,
} from '../services/query/mpp/credentials.ts'
import { type Challenge, challengeIn } from '../services/till/proving.ts'
import { until } from '../until.ts'
import type { Payer } from './payers.ts'
import type { Plan } from './plan.ts'
import type { Shop } from './shop.ts'
import type { World } from './world.ts'

export interface Customer {
  plan: Plan
  payer: Payer
  /** The headers that carry the payment. He presents it with each of them in turn. */
  headers: Record<string, string>[]
  /** What it pays. */
  amount: bigint
  /** How often he has presented it. */
  presented: number
  /** All answers to him, in order. */
  heard: Heard[]
  /** The request that an operator has ordered a refund for. */
  ordered?: string
  /** He went away without an end. */
  isWaiting: boolean
  /** Answers that said "Nothing was charged" after the money had moved. */
  lies: string[]
}

export interface Heard {
  status: number
  code: string | undefined
  charged: unknown
  replayed: boolean
  /** The answer without its receipt. */
  answer: string | undefined
  requestId: string | undefined
  /** The challenge that the wallet must sign to get the answer. */
  challenge?: Challenge | undefined
}

const patienceMs = 15_000
/** As long as nobody hears anything. Then he comes back when the log has all ends. */
const silenceMs = 60_000

/** He gets a quote, and signs a payment for it. */
export async function customer(world: World, shop: Shop, plan: Plan): Promise<Customer> {
  const payer = await world.payer(plan.network)
  const { quote, challenge } = await quoted(shop, plan)
  const [offer] = quote.accepts
  const { headers, payload } = challenge
    ? await credentialFor(challenge, quote, payer)
    : await paymentFor(quote, payer)
  const nonce = payload.authorization?.nonce
  const { verify, settle, times } = plan
  world.troubles.set(nonce ?? (payload.transaction as string), {
    ...{ verify, settle, times },
    drain: payer.drain,
    cancel: () => payer.cancel(nonce as Hex),
  })
  return {
    plan,
    payer,
    headers,
    amount: BigInt(offer.amount),
    presented: 0,
    heard: [],
    isWaiting: false,
    lies: [],
  }
}

interface Quote {
  accepts: [{ network: string; amount: string }]
}

interface Payload {
  authorization?: { nonce: Hex }
  transaction?: string
}

interface Signed {
  headers: Record<string, string>[]
  payload: Payload
}

/** The seller may be dead for a moment, or have no facilitator on the network yet. */
async function quoted(
  shop: Shop,
  { network, door, sold }: Plan,
): Promise<{ quote: Quote; challenge?: Challenge402 }> {
  let found: { quote: Quote; challenge?: Challenge402 } | undefined
  await until(
    async () => {
      const answer = await fetch(`${shop.url}${sold}`, { method: 'POST' }).catch(() => undefined)
      if (answer?.status !== 402) return false
      const header = answer.headers.get('payment-required') ?? ''
      const all = JSON.parse(Buffer.from(header, 'base64').toString()) as { accepts: Quote['accepts'][0][] }
      const accepts = all.accepts.filter(offer => offer.network === networks[network].caip2)
      const [challenge] = door === 'mpp' ? challengesIn(answer) : []
      if (accepts.length === 1)
        found = { quote: { ...all, accepts: accepts as Quote['accepts'] }, ...(challenge && { challenge }) }
      return found !== undefined
    },
    'a quote',
    60_000,
  )
  return found as { quote: Quote }
}

async function paymentFor(quote: Quote, payer: Payer): Promise<Signed> {
  const payment = await payer.client.createPaymentPayload(quote as never)
  return { headers: [{ 'payment-signature': encode(payment) }], payload: payment.payload }
}

/** The same payment in both protocols. */
async function credentialFor(challenge: Challenge402, quote: Quote, payer: Payer): Promise<Signed> {
  const { credential, x402 } = await answerTo(challenge, { payer: payer.account as never })
  const { accepts, ...rest } = quote
  const payment = { ...rest, accepted: accepts[0], payload: x402.payload }
  return {
    headers: [authorized(credential), { 'payment-signature': encode(payment) }],
    payload: x402.payload as unknown as Payload,
  }
}

const encode = (payment: object): string => Buffer.from(JSON.stringify(payment)).toString('base64')

/** Undefined if the connection broke. */
export async function present(
  customer: Customer,
  shop: Shop,
  signal?: AbortSignal,
): Promise<Heard | undefined> {
  try {
    const patience = AbortSignal.any([AbortSignal.timeout(60_000), ...(signal ? [signal] : [])])
    const door = customer.plan.door === 'mcp' ? mcp : http
    const header = customer.headers[customer.presented++ % customer.headers.length] ?? {}
    const first = await door(customer, shop, { header, signal: patience })
    customer.heard.push(first)
    if (!first.challenge) return first
    const proof = await customer.payer.prove(first.challenge)
    const told = await door(customer, shop, { header, signal: patience, proof })
    customer.heard.push(told)
    return told
  } catch {
    // The seller has died, or this customer has hung up.
    return undefined
  }
}

interface Presenting {
  header: Record<string, string>
  signal: AbortSignal
  proof?: string
}

async function http({ plan }: Customer, shop: Shop, { header, signal, proof }: Presenting): Promise<Heard> {
  const response = await fetch(shop.url + plan.sold, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...header,
      ...(plan.key && { 'idempotency-key': plan.key }),
      ...(proof && { 'sign-in-with-x': proof }),
    },
    body: JSON.stringify({ run: plan.id }),
    signal,
  })
  return heardIn((await response.json()) as Body, response.status)
}

async function mcp({ plan }: Customer, shop: Shop, { header, signal, proof }: Presenting): Promise<Heard> {
  const _meta = {
    [paymentKey]: header['payment-signature'],
    ...(plan.key && { [idempotencyKey]: plan.key }),
    ...(proof && { [proofKey]: proof }),
  }
  const response = await fetch(`${shop.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message(plan.id, plan.sold.slice(1), { run: plan.id }, _meta)),
    signal,
  })
  const { result } = (await response.json()) as { result: { isError?: true; structuredContent: Body } }
  const { structuredContent: body } = result
  if (!result.isError) return heardIn(body, 200)
  // A refused payment comes back with the offers.
  if ('accepts' in body) {
    const [, code] = /Not accepted, (\w+):/.exec(String(body.error)) ?? []
    return { ...heardIn({ charged: false }, 402), code }
  }
  return heardIn(body, errors[body.error as ErrorCode][0])
}

type Body = Record<string, unknown>

function heardIn(body: Body, status: number): Heard {
  const { receipt, error, charged, extensions, ...answer } = body
  const { replayed, request_id } = (receipt ?? {}) as { replayed?: boolean; request_id?: string }
  return {
    status,
    code: error as string | undefined,
    charged,
    replayed: replayed === true,
    answer: status === 200 ? JSON.stringify(answer) : undefined,
    requestId: status === 200 ? request_id : undefined,
    challenge: error === 'payment_already_used' && extensions ? challengeIn({ extensions }) : undefined,
  }
}

const isEnd = (told: Heard | undefined): boolean =>
  told !== undefined && (told.status === 200 || told.status === 402 || told.code === 'payment_already_used')

export async function shopping(customer: Customer, shop: Shop): Promise<void> {
  const { plan, lies, payer } = customer
  const startedAt = performance.now()
  const waited = (ms: number) => performance.now() - startedAt > ms
  if (plan.client === 'leaves' || plan.client === 'leaves for good') {
    const leaving = new AbortController()
    const first = present(customer, shop, leaving.signal)
    await Promise.race([first, until(() => shop.asked.has(plan.id), 'the work to begin', 30_000)])
    leaving.abort()
    await first
    if (plan.client === 'leaves for good') return
  }
  if (plan.client === 'sends copies') {
    const copies = await Promise.all([present(customer, shop), present(customer, shop)])
    if (copies.some(isEnd)) return
  }
  while (!waited(silenceMs)) {
    const told = await present(customer, shop)
    if (told?.charged === false && (await payer.paid(customer.amount)) > 0)
      lies.push(`${told.status} ${told.code}`)
    if (isEnd(told)) return
    // The outcome is open until the authorization expires, so the audit checks the rest.
    if (told?.code === 'payment_unknown' && waited(patienceMs)) return
    await sleep(told ? 200 : 50)
  }
  customer.isWaiting = true
}

/** The log has the ends of all payments, so a customer who went away without one gets it now. */
export async function comeBack(customer: Customer, shop: Shop): Promise<void> {
  const { heard } = customer
  await until(
    async () => isEnd(await present(customer, shop)),
    `an end for a customer after ${heard.length} answers`,
    60_000,
  )
}
