/** The client: asks, pays within its caps, and gives the answer or the reason why there is none. */
import { randomUUID } from 'node:crypto'
import { type Operations, operations, type Receipt, type SharedCode } from './operations.ts'
import { Budget, type Caps, type Purse, purseInMemory } from './purse.ts'
import { base64, fromBase64, networkId, type Offer, type Quote, quoteIn } from './quote.ts'
import { canPay, signed, type Wallet } from './wallet.ts'

export type Name = keyof Operations

/** Codes of the client itself. */
export type ClientCode = 'over_budget' | 'cannot_pay' | 'connection_lost'

export interface Problem<Code extends string = string> {
  code: Code
  message: string
  /** 0 where nothing was heard. */
  status: number
  /** null where nobody can tell: give `payment` to the same question again, and it is settled one way. */
  charged: false | null
  payment?: string
}

export interface Settlement {
  success: boolean
  transaction: string
  network: string
  payer?: string
  extensions?: Record<string, unknown>
}

export type Result<Answer = unknown, Code extends string = string> =
  | { ok: true; answer: Answer; receipt?: Receipt; replayed: boolean; settlement?: Settlement }
  | { ok: false; error: Problem<Code> }

export interface CallOptions {
  /** The Idempotency-Key. Each call has one of its own where none is given. */
  key?: string | undefined
  /** A payment that was presented before. */
  payment?: string | undefined
}

type AnswerTo<N extends Name> = Result<
  Operations[N]['answer'] & { receipt?: Receipt },
  Operations[N]['refusals'] | SharedCode | ClientCode
>

export type Calls = {
  [N in Name]: Record<string, never> extends Operations[N]['question']
    ? (question?: Operations[N]['question'], options?: CallOptions) => Promise<AnswerTo<N>>
    : (question: Operations[N]['question'], options?: CallOptions) => Promise<AnswerTo<N>>
}

export interface Farebox extends Calls {
  /** Asks for any path, with nothing known of its types. */
  call(path: string, question?: object, options?: CallOptions): Promise<Result>
  /** The price, without paying. */
  quote(path: string): Promise<Quote | undefined>
}

export interface FareboxOptions extends Caps {
  url: string
  wallet?: Wallet | undefined
  /** Pay on this network: `base`, `solana`, another name, or an id of CAIP-2. */
  network?: string | undefined
  purse?: Purse | undefined
  /** How long the same payment is presented again after a lost connection. */
  patienceMs?: number | undefined
  fetch?: typeof fetch | undefined
}

/** Answers to a payment that may still end in the answer that was paid for. */
const unsettled = new Set(['payment_unknown', 'payment_in_flight'])
const pauseMs = 500

export function createFarebox(options: FareboxOptions): Farebox {
  const { wallet = {}, network, patienceMs = 60_000, fetch: send = fetch } = options
  const url = options.url.replace(/\/+$/, '')
  const budget = new Budget(options, options.purse ?? purseInMemory())

  /** Without a payment it can be sent again at no risk; with one it must be, for the money may be on its way. */
  async function ask(request: RequestInit, path: string): Promise<Heard | undefined> {
    const until = Date.now() + patienceMs
    for (;;) {
      const heard = await once(request, path)
      const isFinal = heard !== undefined && !unsettled.has(heard.code)
      if (isFinal || Date.now() + pauseMs > until) return heard
      const seconds = Number(heard?.response.headers.get('retry-after') ?? 0)
      await new Promise(resolve => setTimeout(resolve, Math.max(pauseMs, seconds * 1000)))
    }
  }

  /** Nothing, where the connection was lost before the whole answer was here. */
  async function once(request: RequestInit, path: string): Promise<Heard | undefined> {
    try {
      const response = await send(url + path, request)
      const text = await response.text()
      const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
      return { response, json, code: String(json.error ?? '') }
    } catch {
      return undefined
    }
  }

  async function call(
    path: string,
    question: object = {},
    { key = randomUUID(), payment }: CallOptions = {},
  ): Promise<Result> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const request = { method: 'POST', headers, body: JSON.stringify(question) }
    if (payment !== undefined) return paid(path, request, payment)

    const first = await ask(request, path)
    const quote = first?.response.status === 402 ? quoteIn(first.response) : undefined
    if (!quote) return resultOf(first, false)
    const offer = quote.accepts.find(
      each => canPay(wallet, each) && (network === undefined || each.network === networkId(network)),
    )
    if (!offer) return no('cannot_pay', cannotPay(quote, network))
    const taken = await budget.take(BigInt(offer.amount))
    if (typeof taken === 'string') return no('over_budget', taken)
    let result: Result | undefined
    try {
      result = await paid(path, request, base64(await signed(wallet, quote, offer)))
      return result
    } finally {
      // What may have been charged stays counted.
      if (!result || (result.ok ? result.replayed : result.error.charged === false)) await taken.giveBack()
    }
  }

  async function paid(
    path: string,
    request: RequestInit & { headers: object },
    payment: string,
  ): Promise<Result> {
    const headers = { ...request.headers, 'payment-signature': payment }
    const result = resultOf(await ask({ ...request, headers }, path), null)
    return result.ok || result.error.charged === false
      ? result
      : { ok: false, error: { ...result.error, payment } }
  }

  async function get(path: string, question: object = {}): Promise<Result> {
    const query = new URLSearchParams(question as Record<string, string>).toString()
    return resultOf(await ask({ method: 'GET' }, `${path}${query && '?'}${query}`), false)
  }

  const calls = Object.entries(operations).map(([name, { method, path }]) => [
    name,
    (question?: object, more?: CallOptions) =>
      method === 'GET' ? get(path, question) : call(path, question, more),
  ])
  return {
    ...(Object.fromEntries(calls) as Calls),
    call,
    async quote(path) {
      const heard = await ask({ method: 'POST' }, path)
      return heard && quoteIn(heard.response)
    },
  }
}

interface Heard {
  response: Response
  json: Record<string, unknown>
  code: string
}

/** `charged`: what is known of it where nothing was heard. */
function resultOf(heard: Heard | undefined, charged: false | null): Result {
  if (!heard)
    return { ok: false, error: { code: 'connection_lost', message: 'Nothing was heard', status: 0, charged } }
  const { response, json, code } = heard
  if (!response.ok) {
    const charged = json.charged === null ? null : (false as const)
    const error = {
      code: code || 'unreadable',
      message: String(json.message ?? ''),
      status: response.status,
      charged,
    }
    return { ok: false, error }
  }
  const settlement = response.headers.get('payment-response')
  const { receipt } = json as { receipt?: Receipt }
  return {
    ok: true,
    answer: json,
    replayed: response.headers.get('idempotent-replayed') !== null,
    ...(receipt && { receipt }),
    ...(settlement && { settlement: fromBase64(settlement) as Settlement }),
  }
}

const no = (code: ClientCode, message: string): Result => ({
  ok: false,
  error: { code, message: `${message}. Nothing was paid.`, status: 402, charged: false },
})

const cannotPay = ({ accepts }: Quote, network: string | undefined): string => {
  const offered = accepts.map(({ network }: Offer) => network).join(', ')
  return `it is paid on ${offered}, and the wallet has no key for ${network ?? 'any of them'}`
}
