/** One customer with one payment. He presents it again until he learns how it ended. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { type ErrorCode, errors } from '../../services/offer/errors.ts'
import { idempotencyKey, paymentKey, proofKey } from '../../services/query/mcp/payment.ts'
import { message } from '../services/query/mcp/message.ts'
import { type Challenge, challengeIn } from '../services/till/proving.ts'
import { until } from '../until.ts'
import type { Payer } from './payers.ts'
import type { Plan } from './plan.ts'
import type { Shop } from './shop.ts'
import type { World } from './world.ts'

export interface Customer {
  plan: Plan
  payer: Payer
  header: string
  /** All answers to him, in order. */
  heard: Heard[]
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
  /** The challenge that the wallet must sign to get the answer. */
  challenge?: Challenge | undefined
}

const patienceMs = 15_000
const hopelessMs = 120_000

export async function customer(world: World, quote: object, plan: Plan): Promise<Customer> {
  const payer = await world.payer(plan.network)
  const payment = await payer.client.createPaymentPayload(quote as never)
  const paid = payment.payload as { authorization?: { nonce: Hex }; transaction?: string }
  const nonce = paid.authorization?.nonce
  const { verify, settle, times } = plan
  world.wire.troubles.set(nonce ?? (paid.transaction as string), {
    ...{ verify, settle, times },
    drain: payer.drain,
    cancel: () => payer.cancel(nonce as Hex),
  })
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  return { plan, payer, header, heard: [], lies: [] }
}

/** Undefined if the connection broke. */
export async function present(
  customer: Customer,
  shop: Shop,
  signal?: AbortSignal,
): Promise<Heard | undefined> {
  try {
    const patience = AbortSignal.any([AbortSignal.timeout(60_000), ...(signal ? [signal] : [])])
    const door = doors[customer.plan.door]
    const first = await door(customer, shop, patience)
    customer.heard.push(first)
    if (!first.challenge) return first
    const told = await door(customer, shop, patience, await customer.payer.prove(first.challenge))
    customer.heard.push(told)
    return told
  } catch {
    // The seller has died, or this customer has hung up.
    return undefined
  }
}

type Door = (customer: Customer, shop: Shop, signal: AbortSignal, proof?: string) => Promise<Heard>

const doors: Record<Plan['door'], Door> = {
  async http({ plan, header }, shop, signal, proof) {
    const response = await fetch(`${shop.url}/draw`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'payment-signature': header,
        ...(plan.key && { 'idempotency-key': plan.key }),
        ...(proof && { 'sign-in-with-x': proof }),
      },
      body: JSON.stringify({ run: plan.id }),
      signal,
    })
    return heardIn(await response.json(), response.status)
  },
  async mcp({ plan, header }, shop, signal, proof) {
    const _meta = {
      [paymentKey]: header,
      ...(plan.key && { [idempotencyKey]: plan.key }),
      ...(proof && { [proofKey]: proof }),
    }
    const response = await fetch(`${shop.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message(plan.id, 'draw', { run: plan.id }, _meta)),
      signal,
    })
    const { result } = (await response.json()) as { result: { isError?: true; structuredContent: Body } }
    const { structuredContent: body } = result
    if (!result.isError) return heardIn(body, 200)
    // A refused payment comes back with the offers.
    if ('accepts' in body) {
      const [, code] = /Not accepted, (\w+):/.exec(String(body.error)) ?? []
      return { status: 402, code, charged: false, replayed: false, answer: undefined }
    }
    return heardIn(body, errors[body.error as ErrorCode][0])
  },
}

type Body = Record<string, unknown>

function heardIn(body: unknown, status: number): Heard {
  const { receipt, error, charged, extensions, ...answer } = body as Body
  return {
    status,
    code: error as string | undefined,
    charged,
    replayed: (receipt as { replayed?: boolean } | undefined)?.replayed === true,
    answer: status === 200 ? JSON.stringify(answer) : undefined,
    challenge: error === 'payment_already_used' && extensions ? challengeIn({ extensions }) : undefined,
  }
}

const isEnd = (told: Heard | undefined): boolean =>
  told !== undefined && (told.status === 200 || told.status === 402 || told.code === 'payment_already_used')

export async function shopping(customer: Customer, shop: Shop): Promise<void> {
  const { plan, heard, lies, payer } = customer
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
  while (!waited(hopelessMs)) {
    const told = await present(customer, shop)
    if (told?.charged === false && (await payer.paid()) > 0) lies.push(`${told.status} ${told.code}`)
    if (isEnd(told)) return
    // The outcome is open until the authorization expires, so the audit checks the rest.
    if (told?.code === 'payment_unknown' && waited(patienceMs)) return
    await sleep(told ? 200 : 50)
  }
  lies.push(`no end after ${heard.length} answers, the last ${JSON.stringify(heard.at(-1))}`)
}
