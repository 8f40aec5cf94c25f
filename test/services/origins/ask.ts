/** Asks an operation as the server does, without a payment, and parses the answer. */
import type { z } from 'zod'
import { type Attesting, attestations } from '../../../pipelines/domains/attestation/attestor.ts'
import { type Desk, desk } from '../../../pipelines/domains/watch/desk.ts'
import { given, Opened } from '../../../pipelines/rails/process.ts'
import { type Dataset, type Fields, keyText, type RowOf } from '../../../schemas/dataset/dataset.ts'
import { type SourceTick, sourceTicks } from '../../../schemas/source-ticks.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Endpoint, Tools } from '../../../services/offer/operation.ts'
import { type Crawls, crawls } from '../../../services/origins/web/site/crawls.ts'
import { answerOf, questionOf } from '../../../services/query/answers.ts'
import type { Shelf } from '../../../services/query/shelf.ts'

export interface Asking {
  shelf: Shelf
  now: () => number
  find?: Tools['find']
  ownHosts?: readonly string[]
  looked?: Pick<Tools, 'look' | 'lookAll'>
  watching?: Desk | undefined
  /** The operations of files that are watched. */
  watched?: Tools['watched']
  /** Do bundled samples replace the upstreams? */
  sampled?: boolean
  attesting?: Attesting | undefined
  crawling?: Crawls | undefined
}

/** Returns the answer as JSON text, after a check against its response schema. Rejects with Refused or Failure. */
export async function askText<Request extends z.ZodType, Response extends z.ZodType, Codes extends string>(
  endpoint: Endpoint<Request, Response, Codes>,
  body: unknown,
  {
    shelf,
    now,
    find = noLookup,
    ownHosts = ['farebox.dev'],
    looked = nothingLoaded,
    sampled = false,
    watching,
    watched = new Map(),
    attesting,
    crawling,
  }: Asking,
): Promise<string> {
  const opened = new Opened([
    given(attestations, attesting),
    given(desk, watching),
    given(crawls, crawling as Crawls),
  ])
  const tools: Tools = {
    now,
    view: (view, asked) => shelf.view(view, asked),
    find,
    ...looked,
    ownHosts: new Set(ownHosts),
    credit: ({ credit }, text = credit) => text,
    isSample: () => sampled,
    watched,
    use: part => opened.of(part),
  }
  return answerOf(endpoint, questionOf(endpoint, body), { tools, checkAnswers: true })
}

/** Returns the answer as a caller parses it. */
export async function ask<Request extends z.ZodType, Response extends z.ZodType, Codes extends string>(
  endpoint: Endpoint<Request, Response, Codes>,
  body: unknown,
  asking: Asking,
): Promise<z.output<Response>> {
  return JSON.parse(await askText(endpoint, body, asking))
}

let offset = 0n
/** A place in the log after all others that were given. */
export const nextPlace = () => ({ partition: 0, offset: offset++, at: 0 })

/** Puts events on the shelf, as reading the topic does. */
export const stock = <F extends Fields>(
  shelf: Shelf,
  dataset: Dataset<F>,
  events: readonly RowOf<F>[],
): void =>
  shelf.take(
    dataset,
    events.map(event => ({ key: dataset.keyOf(event), value: JSON.stringify(event), ...nextPlace() })),
  )

/** Reports a good poll to the shelf. */
export function polled(shelf: Shelf, source: string, at: number): void {
  const tick: SourceTick = {
    source,
    at: instant(at),
    outcome: 'changed',
    events: 1,
    took_ms: 1,
    error: null,
    good_at: instant(at),
    cursor: 'null',
  }
  shelf.take(sourceTicks, [{ key: keyText(source), value: JSON.stringify(tick), ...nextPlace() }])
}

const noLookup: Tools['find'] = lookup => Promise.reject(new Error(`no ${lookup.name} was given to ask`))
const nothingLoaded: Pick<Tools, 'look' | 'lookAll'> = {
  look: async () => undefined,
  lookAll: async () => [],
}
