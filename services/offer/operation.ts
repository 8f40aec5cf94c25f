/** The declaration of an operation or a free route. Routes, quotes and all forms of the catalog derive from it. */
import type { z } from 'zod'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import type { Upstream } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import type { Part } from '../../pipelines/rails/process.ts'
import type { View } from '../../schemas/dataset/dataset.ts'
import type { AnswerOf, Frozen, Undeclared } from './answer.ts'
import { Refused } from './errors.ts'

/** A view in memory. Its own rule has found it fresh for this call. */
export interface Held<Row> {
  get(...key: (string | number)[]): Row | undefined
  rows(): Iterable<Row>
  readonly size: number
  /** The time of the last good poll of the view's source, in ms. */
  readonly polledAt: number | undefined
  /** Builds a value once, and keeps it until the view changes or `until` (ms) has passed. */
  once<T>(name: string, build: (held: Held<Row>) => { value: T; until?: number }): T
}

export interface Tools {
  now(): number
  /**
   * Throws 503 not_ready while nothing is loaded, and 502 stale_data when the view's rule calls it stale. Both are
   * free.
   */
  view<Row, Asked>(view: View<Row, Asked>, asked: Asked): Held<Row>
  /** Finds the newest row of a large view under a key. It is read from the store once, then cached. */
  look<Row>(view: View<Row>, ...key: (string | number)[]): Promise<Row | undefined>
  /** Finds all such rows, newest first, at most as many as the view's `most`. */
  lookAll<Row>(view: View<Row>, ...key: (string | number)[]): Promise<readonly Row[]>
  /**
   * Throws 503 while the lookup is not ready, and 502 when its upstream fails or is too slow. Both are free. Values that are not at
   * hand are requested, fetched or computed only after `mayAsk` has resolved.
   */
  find<Key, Value>(
    lookup: Lookup<Key, Value>,
    key: Key,
    mayAsk?: () => void | Promise<void>,
  ): Promise<Value | undefined>
  /** The public hosts of our origins. */
  ownHosts: ReadonlySet<string>
  /** Names the upstream as the source of an answer, or returns `text`. If a bundled sample replaces the upstream, it says so. */
  credit(upstream: Upstream, text?: string): string
  /** Does a bundled sample replace the upstream? */
  isSample(upstream: Upstream): boolean
  /** The opened part of an origin. */
  use<T>(part: Part<T>): T
  /** The operations of files whose answers are watched for subscribers, by their paths. */
  watched: ReadonlyMap<string, Operation>
}

export interface Refusal {
  status: 400 | 422 | 502 | 503
  about: string
}

/** The fields that an operation and a free route share. */
export interface Endpoint<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Codes extends string = string,
> {
  /** The operationId of OpenAPI, the tool of the receipt, the label of metrics and the column of settlements. */
  id: string
  path: `/${string}`
  title: string
  /** At most 450 characters with `sold`, because it is part of the quote. */
  about: string
  /** What a model reads of it, to choose among all tools. Absent: the title and the beginning of `about`. */
  inBrief?: string
  tags: readonly string[]
  /** The credit that a source's terms require wherever its data is offered. */
  attribution?: { text: string; url: string }
  /** The size of the largest question. Absent: 64 KB. */
  maxBodyBytes?: number
  request: Request
  response: Response
  refusals: Record<Codes, Refusal>
  /** A question and its real answer, without the receipt. The response is undefined where a file that sells shows none. */
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
  /** US dollars as decimal text. The highest, where networks differ. */
  price: string
  /** The price on each network that is sold on, by its name. Absent: the same on all. */
  prices?: Readonly<Record<string, string>>
  /**
   * Our cost of an answer. `held`: nothing, because it is in memory. `looked up`: a read of the store or a request to an upstream,
   * shared by all who ask the same. `costly`: much work for this one caller.
   */
  costs: 'held' | 'looked up' | 'costly'
  /**
   * A payer whose last payment was good is answered before this one is verified, in a few calls at once: the settlement verifies it. For
   * work that is cheap, since it may be for nothing.
   */
  trusts?: true
  /** How much of an answer must be there for it to be sold: `whole`, or a sentence that callers read after `about`. Absent: whole. */
  sold?: 'whole' | `Sold ${string}`
  /** The answer holds a secret. A key or a payment alone is not enough to get it again. */
  holdsSecret?: true
  /** Callers over MCP may try it without a wallet, a few times a day. */
  trial?: true
  /** The name of its tool over MCP. Absent: the path gives the name. */
  tool?: string
  /** Subscribers hear when the answer changes: it is asked for again each time, and what `told` takes of it is compared. */
  watched?: { everyMs: number; told(answer: unknown): unknown }
  /** Where the answers of what a file sells come from, and the names in its query. Of all others the code tells it. */
  source?: { kind: string; reads: readonly string[] }
  /** What a question over MCP holds where its caller does not say it: the context of a model is small. */
  ofModels?: Readonly<Record<string, unknown>>
  /** The fields of the answer that hold a picture in base64, and its media type. A model is shown the picture. */
  picture?: { data: string; type: string }
}

/** What callers read of an endpoint: what it is about, and how much of its answer must be there to be sold. */
export const contractOf = ({
  about,
  sold = 'whole',
}: Pick<Endpoint, 'about'> & { sold?: Operation['sold'] | undefined }): string =>
  sold === 'whole' ? about : `${about} ${sold}`

/** A question that costs the caller nothing. The till never sees it. */
export interface FreeRoute<
  Request extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  Codes extends string = string,
> extends Endpoint<Request, Response, Codes> {
  /** A GET has its question in the query string, where every value is text: declare a number as `z.coerce.number()`. */
  method: 'GET' | 'POST'
  /** The limit for one caller. */
  perMinute: number
  /**
   * Answers an unparsed body, for questions that are too large for the process that sells. The answer itself reports what is wrong
   * with it.
   */
  answerUnread?(text: string, tools: Tools, refuse: (code: string, message: string) => never): Promise<object>
  /** The name of its tool over MCP. Absent: it is no tool. */
  tool?: string
}

/** An endpoint whose answer has the fields of its response and no others. */
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

/** Makes `refuse` for an endpoint. An undeclared code does not compile. */
export const refuseFor =
  <Codes extends string>(endpoint: Pick<Endpoint<z.ZodType, z.ZodType, Codes>, 'refusals'>) =>
  (code: Codes, message: string): never => {
    throw new Refused(code, endpoint.refusals[code].status, message)
  }
