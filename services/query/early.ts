/**
 * Answers a call without a payment before the framework sees it: the head and the body of each 402 are written once, and one write
 * sends both. Whatever may end in another way goes on to the framework, which answers with the same bytes
 * (`test/services/query/early.test.ts`).
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Quote } from '../till/till.ts'
import { directCaller } from './callers.ts'
import { isLarge } from './compression.ts'

/** A quote, and the challenges of MPP beside it. */
export interface ToldQuote {
  quote: Quote
  challenges: readonly string[]
}

/** What answers a path. */
export interface EarlyAnswer {
  /** Is the path sold at this host? Undefined: at each host. */
  isAt: ((hostname: string) => boolean) | undefined
  /** The headers of each 402 in their order, names and values in turns. They change with the quote alone. */
  headersOf(told: ToldQuote): string[]
  /** Counts the call. Undefined if the caller has none left; then nothing is counted. */
  admit(caller: string): string | undefined
  tell(): ToldQuote
  /** Is called once for each answer, with the time at which its call was here. */
  answered(request: IncomingMessage, startedAt: number): void
}

/** A header that changes with each call. */
export const standingHeader = 'ratelimit'
export const challengeHeader = 'www-authenticate'

/** With one of these a call may pay, be a replay, or be refused. */
const decisive = ['payment-signature', 'x-payment', 'authorization', 'idempotency-key', 'expect'] as const

/** The answer to a quote, written once. */
interface Prepared {
  quote: Quote
  challenges: number
  headers: (string | string[])[]
  standingAt: number
  challengeAt: number
  /** The bytes of the body, a letter for each, so that one write takes them with the head. */
  body: string
}

export class Early {
  readonly #opened = new Map<string, { answer: EarlyAnswer; prepared?: Prepared }>()
  readonly #trustsProxy: boolean
  #mayAnswer = () => true
  #isOver = false

  constructor({ trustsProxy }: { trustsProxy: boolean }) {
    this.#trustsProxy = trustsProxy
  }

  /** While this is false, the framework may refuse calls whatever they ask. */
  when(mayAnswer: () => boolean): void {
    this.#mayAnswer = mayAnswer
  }

  open(path: string, answer: EarlyAnswer): void {
    this.#opened.set(path, { answer })
  }

  /** From now on the framework answers all calls. */
  stop(): void {
    this.#isOver = true
  }

  before(framework: RequestListener): RequestListener {
    return (request, response) => {
      if (!this.#answer(request, response)) framework(request, response)
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): boolean {
    const opened = request.method === 'POST' ? this.#opened.get(request.url as string) : undefined
    if (!opened || this.#isOver || !this.#isPlain(request, opened.answer) || !this.#mayAnswer()) return false
    const startedAt = performance.now()
    const { answer } = opened
    const caller = directCaller(request, this.#trustsProxy)
    if (caller === undefined) return false
    try {
      const told = answer.tell()
      const prepared = isFor(told, opened.prepared) ? opened.prepared : prepare(told, answer)
      opened.prepared = prepared
      const standing = prepared.body && answer.admit(caller)
      if (!standing) return false
      prepared.headers[prepared.standingAt] = standing
      if (prepared.challenges > 0) prepared.headers[prepared.challengeAt] = told.challenges as string[]
      response.writeHead(402, prepared.headers).end(prepared.body, 'latin1')
      answer.answered(request, startedAt)
      return true
    } catch (error) {
      if (response.headersSent) throw error
      // The framework tells what is wrong.
      return false
    }
  }

  #isPlain({ headers, httpVersionMinor }: IncomingMessage, { isAt }: EarlyAnswer): boolean {
    if (httpVersionMinor !== 1) return false
    for (const name of decisive) if (headers[name] !== undefined) return false
    return isAt === undefined || isAt(hostnameOf(headers.host ?? ''))
  }
}

const isFor = ({ quote, challenges }: ToldQuote, prepared: Prepared | undefined): prepared is Prepared =>
  prepared?.quote === quote && prepared.challenges === challenges.length

function prepare(told: ToldQuote, answer: EarlyAnswer): Prepared {
  const { quote, challenges } = told
  const headers: Prepared['headers'] = answer.headersOf(told)
  const placeOf = (name: string) => headers.findIndex((each, i) => i % 2 === 0 && each === name) + 1
  return {
    quote,
    challenges: challenges.length,
    headers,
    standingAt: placeOf(standingHeader),
    challengeAt: placeOf(challengeHeader),
    // The framework packs large ones.
    body: isLarge(quote.unpaid) ? '' : Buffer.from(quote.unpaid).toString('latin1'),
  }
}

const hostnameOf = (host: string): string =>
  host.startsWith('[') ? host.slice(0, host.indexOf(']') + 1) : (host.split(':', 1)[0] as string)
