/** An Operation is one priced question: everything about it is declared here, everything shown is derived from it. */
import type { z } from 'zod'
import type { Lookup } from '../pipelines/lookups/lookup.ts'
import type { UpstreamName } from '../pipelines/outside/outside.ts'
import type { View } from '../schemas/dataset.ts'
import type { AnswerOf, Frozen, Undeclared } from './answer.ts'
import { Refused } from './errors.ts'

/** A view held in memory, fresh by its own rule at the moment it was handed out. */
export interface Held<Row> {
  get(...key: (string | number)[]): Row | undefined
  rows(): Iterable<Row>
  readonly size: number
  /** The last good poll of the view's source, in ms. */
  readonly polledAt: number | undefined
  /** Builds a value once per change of the view, and again once `until` (ms) has passed. */
  once<T>(name: string, build: (held: Held<Row>) => { value: T; until?: number }): T
}

export interface Tools {
  now(): number
  /** Throws the free 503 not_ready when nothing was ever loaded, the free 502 stale_data when its rule says so. */
  view<Row, Asked>(view: View<Row, Asked>, asked: Asked): Held<Row>
  /** The newest row of a large view under a key, by its `looked`: read from the store once, then cached. */
  look<Row>(view: View<Row>, ...key: (string | number)[]): Promise<Row | undefined>
  /** All such rows, newest first, no more than the view's `most`. */
  lookAll<Row>(view: View<Row>, ...key: (string | number)[]): Promise<readonly Row[]>
  /** Throws the free 503 while the lookup is not ready, the free 502 when its upstream fails or is too slow. */
  find<Key, Value>(lookup: Lookup<Key, Value>, key: Key): Promise<Value | undefined>
  /** The hosts that callers know our origins by. */
  ownHosts: ReadonlySet<string>
  /** The text that credits an upstream; it says so when what stands in for the upstream is a bundled sample. */
  credit(upstream: UpstreamName, text: string): string
}

export interface Refusal {
  status: 400 | 422 | 502
  about: string
}

/** What an operation and a free route have in common. */
export interface Endpoint<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Codes extends string = string,
> {
  /** The operationId of the interface: the tool of the receipt, the label of metrics. */
  id: string
  path: `/${string}`
  title: string
  /** At most 450 characters: it stands in the quote, before anyone pays. */
  about: string
  tags: readonly string[]
  /** Whom the terms of a source want named wherever its data is offered. */
  attribution?: { text: string; url: string }
  request: Request
  response: Response
  refusals: Record<Codes, Refusal>
  /** A question and its answer as really given once (without the receipt). */
  example: { request: z.input<Request>; response: Frozen<z.output<Response>> }
  answer(
    question: z.output<Request>,
    tools: Tools,
    refuse: (code: Codes, message: string) => never,
  ): AnswerOf<Response> | Promise<AnswerOf<Response>>
}

export interface Operation<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Codes extends string = string,
> extends Endpoint<Request, Response, Codes> {
  /** US dollars, decimal text. */
  price: string
  /**
   * What an answer costs us. `held`: nothing, for it is in memory. `looked up`: a read of the store or a request to an
   * upstream, shared with others who ask the same. `costly`: much work for this caller alone.
   */
  costs: 'held' | 'looked up' | 'costly'
}

/** A question that costs nothing to ask. The till never hears of it. */
export interface FreeRoute<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Codes extends string = string,
> extends Endpoint<Request, Response, Codes> {
  /** GET asks in the query string, where every value is text: a number is a `z.coerce.number()`. */
  method: 'GET' | 'POST'
  /** How often one caller may ask. */
  perMinute: number
}

/** An endpoint as it is declared: its answer has the fields of its response, and no other. */
type Declared<E extends Endpoint, Response extends z.ZodType, Given> = Omit<E, 'answer'> & {
  answer(...asked: Parameters<E['answer']>): Given | Promise<Given>
} & ([Undeclared<Given, Response>] extends [never]
    ? unknown
    : { answer: `${Undeclared<Given, Response>} is not in the response` })

export const defineOperation = <
  Request extends z.ZodType,
  Response extends z.ZodType,
  Codes extends string,
  const Given extends AnswerOf<Response>,
>(
  operation: Declared<Operation<Request, Response, Codes>, Response, Given>,
): Operation<Request, Response, Codes> => operation

export const defineFree = <
  Request extends z.ZodType,
  Response extends z.ZodType,
  Codes extends string,
  const Given extends AnswerOf<Response>,
>(
  route: Declared<FreeRoute<Request, Response, Codes>, Response, Given>,
): FreeRoute<Request, Response, Codes> => route

/** A refusal of an endpoint; a code that it does not declare does not compile. */
export const refuseFor =
  <Codes extends string>(endpoint: Pick<Endpoint<z.ZodType, z.ZodType, Codes>, 'refusals'>) =>
  (code: Codes, message: string): never => {
    throw new Refused(code, endpoint.refusals[code].status, message)
  }
