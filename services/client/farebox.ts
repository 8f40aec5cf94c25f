/** The client: asks, pays within its caps, and gives the answer or the reason why there is none. */
import { randomUUID } from 'node:crypto'
import { addressOf, ask, type ConnectionOptions, type Heard } from './connection.ts'
import { payable } from './offer.ts'
import { operations } from './operations.ts'
import { asksForProof, proofFor } from './proof.ts'
import { Budget, type Caps, type Purse } from './purse.ts'
import { purseInFile } from './purse-file.ts'
import { base64, fromBase64, type Quote, quoteIn } from './quote.ts'
import type { Operations, Receipt, SharedCode } from './shapes.ts'
import { NotSigned, signed, type Wallet } from './wallet.ts'

export type Name = keyof Operations

/** Codes of the client itself. */
export type ClientCode = 'over_budget' | 'cannot_pay' | 'connection_lost' | 'redirected'

export interface Problem<Code extends string = string> {
  code: Code
  message: string
  /** 0 where nothing was heard. */
  status: number
  /**
   * null where nobody can tell: give `payment` to the same question again, and it is settled one way. true: the payment was
   * taken before.
   */
  charged: boolean | null
  /**
   * Of a payment that was taken. kept: the seller gives its answer again, to its key or to a proof by the wallet that paid. gone:
   * he keeps it no longer. Absent: he does not say.
   */
  answer?: 'kept' | 'gone'
  /** The seller's word: he keeps the answer until then. */
  keptUntil?: string
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
  /** Where what is spent is counted: a file that all processes of this user share, where nothing is said. */
  purse?: Purse | undefined
  /** How long the same payment is presented again after a lost connection. */
  patienceMs?: number | undefined
  fetch?: typeof fetch | undefined
}

const mostProofs = 3

export function createFarebox(options: FareboxOptions): Farebox {
  const { wallet = {}, network, patienceMs = 60_000, fetch: send = fetch } = options
  const connection: ConnectionOptions = { url: options.url.replace(/\/+$/, ''), patienceMs, send }
  const budget = new Budget(options, options.purse ?? purseInFile())

  async function call(
    path: string,
    question: object = {},
    { key = randomUUID(), payment }: CallOptions = {},
  ): Promise<Result> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const request = { method: 'POST', headers, body: JSON.stringify(question) }
    if (payment !== undefined) return paid(path, request, payment)

    const first = await ask(request, path, connection)
    if (first?.response.status !== 402) return resultOf(first, false)
    const quote = quoteIn(first.response)
    if (!quote) return no('cannot_pay', 'the 402 has no quote of version 2')
    const offer = payable(quote, wallet, network)
    if (typeof offer === 'string') return no('cannot_pay', offer)
    const taken = await budget.take(BigInt(offer.amount))
    if (typeof taken === 'string') return no('over_budget', taken)
    const made = await signed(wallet, quote, offer).catch(async (error: unknown) => {
      await taken.giveBack()
      if (error instanceof NotSigned) return error
      throw error
    })
    // From here on it stays counted, and it is the only one of this call, whatever the seller answers.
    return made instanceof NotSigned ? no('cannot_pay', made.message) : paid(path, request, base64(made))
  }

  async function paid(
    path: string,
    request: RequestInit & { headers: object },
    payment: string,
  ): Promise<Result> {
    const headers = { ...request.headers, 'payment-signature': payment }
    let heard = await ask({ ...request, headers }, path, connection)
    // A proof works once, so an answer that was lost again needs another one.
    for (let tries = 0; tries < mostProofs && heard?.code === 'payment_already_used'; tries++) {
      const proof = await proofFor(heard.json, addressOf(path, connection), wallet)
      if (!proof) break
      heard = await ask({ ...request, headers: { ...headers, 'sign-in-with-x': proof } }, path, connection)
    }
    const result = resultOf(heard, null)
    return result.ok || result.error.charged === false
      ? result
      : { ok: false, error: { ...result.error, payment } }
  }

  async function get(path: string, question: object = {}): Promise<Result> {
    const query = new URLSearchParams(question as Record<string, string>).toString()
    return resultOf(await ask({ method: 'GET' }, `${path}${query && '?'}${query}`, connection), false)
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
      const heard = await ask({ method: 'POST' }, path, connection)
      return heard && quoteIn(heard.response)
    },
  }
}

/** `charged`: what is known of it where the seller says nothing. */
function resultOf(heard: Heard | undefined, charged: false | null): Result {
  if (!heard)
    return { ok: false, error: { code: 'connection_lost', message: 'Nothing was heard', status: 0, charged } }
  const { response, json, code } = heard
  if (!response.ok) {
    const redirected = response.status >= 300 && response.status < 400
    const error = {
      code: redirected ? 'redirected' : code || 'unreadable',
      message: redirected ? 'It names another address, and nobody follows' : String(json.message ?? ''),
      status: response.status,
      // What is no word of a seller, as the page of a proxy, says nothing of the money.
      charged: json.charged === undefined ? charged : typeof json.charged === 'boolean' ? json.charged : null,
      ...fateIn(heard),
    }
    return { ok: false, error }
  }
  const settlement = fromBase64(response.headers.get('payment-response') ?? '') as Settlement | undefined
  const { receipt } = json as { receipt?: Receipt }
  return {
    ok: true,
    answer: json,
    replayed: response.headers.get('idempotent-replayed') !== null,
    ...(receipt && { receipt }),
    ...(settlement && { settlement }),
  }
}

/** What a seller says of the answer of a payment that was taken before: as long as he keeps it, he asks for a proof. */
function fateIn({ json, code }: Heard): Pick<Problem, 'answer' | 'keptUntil'> {
  if (code !== 'payment_already_used' || json.charged !== true) return {}
  const until = json.kept_until
  return {
    answer: asksForProof(json) ? 'kept' : 'gone',
    ...(typeof until === 'string' && { keptUntil: until }),
  }
}

const no = (code: ClientCode, message: string): Result => ({
  ok: false,
  error: { code, message: `${message}. Nothing was paid.`, status: 402, charged: false },
})
