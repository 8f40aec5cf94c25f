/** What a call ends in: an answer, or a reason with the truth about the money. */
import type { Heard, Lost } from './connection.ts'
import { asksForProof } from './proof.ts'
import { fromBase64, plain } from './quote.ts'
import type { Receipt } from './shapes.ts'

/** Codes of the client itself. `dry_run`: it would have been paid. */
export type ClientCode = (typeof clientCodes)[number]
const clientCodes = ['over_budget', 'cannot_pay', 'dry_run', 'connection_lost', 'redirected'] as const
/** A seller who sends one of them would speak in the client's name, of money that it has signed for. */
const isClients = (code: string): boolean => clientCodes.some(each => each === code)

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
   * The answer to a payment that was taken. kept: the seller gives it again, for its key or for a proof by the wallet that paid.
   * gone: he no longer keeps it. Absent: he does not say.
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
  | {
      ok: true
      answer: Answer
      /** Absent: nothing was paid, or the seller gives none. */
      receipt?: Receipt
      replayed: boolean
      /** Absent: nothing was paid, or the seller says nothing of it. */
      settlement?: Settlement
    }
  | { ok: false; error: Problem<Code> }

/** `charged`: what is known of it where the seller says nothing. */
export function resultOf(heard: Heard | Lost, charged: false | null): Result {
  if ('lost' in heard) {
    const message = `Nothing was heard from ${heard.lost}`
    return { ok: false, error: { code: 'connection_lost', message, status: 0, charged } }
  }
  const { response, json, said } = heard
  const code = isClients(heard.code) ? 'unreadable' : heard.code
  if (!response.ok) {
    const redirected = response.status >= 300 && response.status < 400
    const refusal = code === '' ? refusalIn(response) : undefined
    const error = {
      code: redirected ? 'redirected' : code || (refusal ? 'payment_rejected' : 'unreadable'),
      message: redirected
        ? 'It names another address, and nobody follows'
        : (refusal ?? textIn(json.message)),
      status: response.status,
      // An error that is not the seller's, such as the page of a proxy, says nothing about the money.
      charged: json.charged === undefined ? charged : typeof json.charged === 'boolean' ? json.charged : null,
      ...fateIn(heard),
    }
    return { ok: false, error }
  }
  const settlement = fromBase64(response.headers.get('payment-response') ?? '') as Settlement | undefined
  // The page of a proxy or of a hotel's network comes with 200, too.
  if (charged === null && !settlement && typeof said === 'string') {
    const message = 'What it answers is no JSON, and says nothing of the payment'
    return { ok: false, error: { code: 'unreadable', message, status: response.status, charged } }
  }
  const { receipt } = json
  return {
    ok: true,
    answer: said,
    replayed: response.headers.get('idempotent-replayed') !== null,
    ...(typeof receipt === 'object' && receipt && { receipt: receipt as Receipt }),
    ...(settlement && { settlement }),
  }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** How a seller that is not Farebox refuses a payment: in headers of x402 alone. He says nothing of what was charged. */
function refusalIn({ status, headers }: Response): string | undefined {
  if (status !== 402) return undefined
  const [quote, settlement] = ['payment-required', 'payment-response'].map(name =>
    fromBase64(headers.get(name) ?? ''),
  ) as [{ error?: unknown }?, { errorReason?: unknown }?]
  const why = settlement?.errorReason ?? quote?.error
  if (typeof why !== 'string') return undefined
  return `The seller refuses the payment (${plain(why.slice(0, 200))}), and does not say whether it was charged`
}

/** Reads whether the seller still keeps the answer to a payment that was taken before. While he does, he asks for a proof. */
function fateIn({ json, code }: Heard): Pick<Problem, 'answer' | 'keptUntil'> {
  if (code !== 'payment_already_used' || json.charged !== true) return {}
  const until = json.kept_until
  return {
    answer: asksForProof(json) ? 'kept' : 'gone',
    ...(typeof until === 'string' && { keptUntil: until }),
  }
}

/** A no of the client itself. */
export const no = (code: ClientCode, message: string): Problem => ({
  ...{ code, message: `${message}. Nothing was paid.`, status: 402, charged: false },
})
