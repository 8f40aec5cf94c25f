/** Asks an operation as the server does, money aside: the question is checked, answered, printed and read back. */
import { z } from 'zod'
import { type Dataset, type Fields, keyText, type RowOf } from '../../../schemas/dataset.ts'
import { type SourceTick, sourceTicks } from '../../../schemas/source-ticks.ts'
import { instant } from '../../../schemas/values.ts'
import { Failure } from '../../../services/errors.ts'
import { type Operation, refuseFor, Serialised, type Tools } from '../../../services/operation.ts'
import type { Shelf } from '../../../services/query/shelf.ts'

export interface Asking {
  shelf: Shelf
  now: () => number
  find?: Tools['find']
  ownHost?: string
  looked?: Pick<Tools, 'look' | 'lookAll'>
}

/** The answer as JSON text; rejects with Refused or Failure. */
export async function askText<Request extends z.ZodType, Response extends z.ZodType, Codes extends string>(
  operation: Operation<Request, Response, Codes>,
  body: unknown,
  { shelf, now, find = noLookup, ownHost = 'farebox.dev', looked = nothingLoaded }: Asking,
): Promise<string> {
  const question = operation.request.safeParse(body)
  if (!question.success) throw new Failure('invalid_request', z.prettifyError(question.error))
  const tools: Tools = {
    now,
    view: (view, asked) => shelf.view(view, asked),
    find,
    ...looked,
    ownHost,
    credit: (_upstream, text) => text,
  }
  const answer = await operation.answer(question.data, tools, refuseFor(operation))
  return answer instanceof Serialised ? answer.json : JSON.stringify(answer)
}

/** The answer as a caller parses it, held against the operation's own response schema. */
export async function ask<Request extends z.ZodType, Response extends z.ZodType, Codes extends string>(
  operation: Operation<Request, Response, Codes>,
  body: unknown,
  asking: Asking,
): Promise<z.output<Response>> {
  const answer = JSON.parse(await askText(operation, body, asking))
  operation.response.parse(answer)
  return answer
}

/** Puts events on the shelf, as its watch of the topic would. */
export const stock = <F extends Fields>(
  shelf: Shelf,
  dataset: Dataset<F>,
  events: readonly RowOf<F>[],
): void =>
  shelf.take(
    dataset,
    events.map(event => ({ key: dataset.keyOf(event), value: JSON.stringify(event) })),
  )

/** Tells the shelf of a good poll. */
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
  shelf.take(sourceTicks, [{ key: keyText(source), value: JSON.stringify(tick) }])
}

const noLookup: Tools['find'] = lookup => Promise.reject(new Error(`no ${lookup.name} was given to ask`))
const nothingLoaded: Pick<Tools, 'look' | 'lookAll'> = {
  look: async () => undefined,
  lookAll: async () => [],
}
