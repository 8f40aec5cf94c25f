/** Makes a batch of an operation: many questions in one payment, each answered or refused by itself. */
import { z } from 'zod'
import { NotReady, Unsold, UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { busyOf } from '../../pipelines/rails/outside/browser/browser-failures.ts'
import { Serialised } from './answer.ts'
import { type ErrorCode, errors, Failure, isOfPayments, Refused } from './errors.ts'
import { type Operation, refuseFor, type Tools } from './operation.ts'

const mostInBatch = 100
/** A batch ends before the till gives up on its answer. A later call finds what this one has fetched. */
const usual = { atOnce: 8, withinMs: 20_000 }

interface Batch {
  id: string
  path: `/${string}`
  price: string
  title: string
  about: string
  /** Questions in one payment. Absent: 100. */
  most?: number
  /** Questions under way at once. */
  atOnce?: number
}

/** An answer may be Serialised. */
export type BatchOutcome =
  | { answer: unknown; error?: undefined }
  | { answer: null; error: string; message: string }

/** An answer is sent, hashed and kept in one piece. */
const mostLetters = 8 << 20

export function batchOf(
  operation: Operation,
  { id, path, price, title, about, most = mostInBatch, atOnce = usual.atOnce }: Batch,
): Operation {
  const { request, response, example, refusals } = operation
  const codes = Object.keys(refusals).map(code => `\`${code}\``)
  return {
    ...operation,
    id,
    path,
    price,
    inBrief: `Up to ${most} questions as \`${operation.path}\` takes them, in one payment.`,
    title,
    about: `${about} One payment for up to ${most} questions as \`POST ${operation.path}\` takes them, each answered or refused by itself, in order. Flat price.`,
    sold: 'Sold if one is answered, and no more than half fail for reasons of ours.',
    request: z.strictObject({
      items: z
        .array(request)
        .min(1, 'at least one question')
        .max(most, `at most ${most} questions`)
        .describe(`Questions as POST ${operation.path} takes them`),
    }),
    response: z.strictObject({
      results: z
        .array(
          z.strictObject({
            answer: response.nullable().describe('null: refused'),
            error: z
              .string()
              .optional()
              .describe(
                `Why there is none: ${codes.join(', ')}, or one of ours: \`upstream_failed\`, \`stale_data\`, \`not_ready\`, \`busy\`, \`too_large\``,
              ),
            message: z.string().optional(),
          }),
        )
        .describe('In the order of the questions'),
      answered: z.int(),
      refused: z.int(),
    }),
    refusals: {
      nothing_answered: { status: 422, about: 'No question of the batch has an answer' },
    },
    example: {
      request: { items: [example.request] },
      response: { results: [{ answer: example.response }], answered: 1, refused: 0 },
    },
    answer: (question, tools, refuse) =>
      answersOf((question as { items: readonly unknown[] }).items, operation, { tools, refuse, atOnce }),
  }
}

/** All of them together: what is sold, or why nothing is. */
async function answersOf(
  items: readonly unknown[],
  operation: Operation,
  { tools, refuse, atOnce }: { tools: Tools; refuse: Parameters<Operation['answer']>[2]; atOnce: number },
) {
  let asks = 0
  const unsold = (): void => {
    asks++
  }
  const results = await answersTo(items, operation, tools, { ...usual, atOnce, unsold })
  const free = (code: ErrorCode, message?: string) => Object.assign(new Failure(code, message), { asks })
  const answered = results.filter(({ error }) => error === undefined).length
  if (!answered) {
    const code = codeOfAll(results)
    if (code) throw free(code, results.map(each => ('message' in each ? each.message : undefined))[0])
    refuse('nothing_answered', whyNothing(results))
  }
  const failed = results.filter(({ error }) => error !== undefined && isOurs.has(error)).length
  if (failed * 2 > results.length) {
    // Its payer has chosen questions with large answers, so those that were found are work for nothing, too.
    if (results.includes(tooMuch)) asks += answered
    throw free(
      'upstream_failed',
      `${failed} of the ${results.length} questions failed here, not by themselves; what was found is kept: ask again`,
    )
  }
  return written(results, answered)
}

/** Each answer keeps its own text, so that nothing large is read again, and each number keeps its digits. */
function written(results: readonly BatchOutcome[], answered: number): Serialised<never> {
  const texts = results.map(({ answer, ...refused }) =>
    answer instanceof Serialised ? `{"answer":${answer.json}}` : JSON.stringify({ answer, ...refused }),
  )
  const refused = results.length - answered
  return Serialised.written(`{"results":[${texts.join()}],"answered":${answered},"refused":${refused}}`)
}

interface Asking {
  atOnce: number
  withinMs: number
  /** Is called for each question to which an upstream gave what is not sold. */
  unsold?(): void
}

/** Asks a few at a time, so that one batch does not fill the queue of an upstream. */
export async function answersTo(
  items: readonly unknown[],
  operation: Operation,
  tools: Tools,
  { atOnce, withinMs, unsold = () => {} }: Asking = usual,
): Promise<BatchOutcome[]> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), withinMs)
  const outcomes: BatchOutcome[] = []
  const left = items.entries()
  let letters = 0
  const worker = async () => {
    for (const [place, item] of left) {
      const outcome = letters > mostLetters ? tooMuch : await next(item)
      letters += outcome.answer instanceof Serialised ? outcome.answer.json.length : 0
      outcomes[place] = letters > mostLetters ? tooMuch : outcome
      if (letters > mostLetters && outcome.error === undefined) unsold()
    }
  }
  const next = (item: unknown) =>
    late.signal.aborted ? tooLate : outcomeOf(() => answerTo(operation, item, tools, unsold), late.signal)
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
    return outcomes
  } finally {
    clearTimeout(timer)
  }
}

/** A question that an upstream or we have failed. Any other was wrong, or has no answer, and to be told so is worth its price. */
const isOurs: ReadonlySet<string> = new Set([
  'upstream_failed',
  'stale_data',
  'not_ready',
  'busy',
  'too_large',
])

const refusedWith = (error: string, message: string): BatchOutcome => ({ answer: null, error, message })
const tooLate = refusedWith('upstream_failed', 'An upstream was too slow; what it brings is kept: ask again')
const tooMuch = refusedWith('too_large', 'The answers before it fill the batch: ask this one in another call')

async function outcomeOf(asked: () => Promise<BatchOutcome>, late: AbortSignal): Promise<BatchOutcome> {
  const ended = Promise.withResolvers<BatchOutcome>()
  const giveUp = () => ended.resolve(tooLate)
  late.addEventListener('abort', giveUp, { once: true })
  try {
    return await Promise.race([asked(), ended.promise])
  } finally {
    late.removeEventListener('abort', giveUp)
  }
}

async function answerTo(
  operation: Operation,
  item: unknown,
  tools: Tools,
  unsold: () => void,
): Promise<BatchOutcome> {
  try {
    return { answer: await operation.answer(item, tools, refuseFor(operation)) }
  } catch (error) {
    // The payment failed, so no question of the batch is at fault.
    if (error instanceof Failure && isOfPayments(error.code)) throw error
    if (error instanceof Unsold || (error instanceof Failure && error.asks)) unsold()
    if (error instanceof Refused || error instanceof Failure) return refusedWith(error.code, error.message)
    const busy = busyOf(error)
    if (busy) return refusedWith('busy', busy.message)
    if (error instanceof UpstreamFailed) return refusedWith('upstream_failed', errors.upstream_failed[1])
    if (error instanceof NotReady) return refusedWith('not_ready', error.message)
    throw error
  }
}

/** The one failure of all questions, if it is one of ours. */
function codeOfAll(results: readonly BatchOutcome[]): ErrorCode | undefined {
  const [first] = results
  const only = results.every(({ error }) => error === first?.error) ? first?.error : undefined
  return only === 'upstream_failed' || only === 'stale_data' || only === 'not_ready' ? only : undefined
}

/** Says why no question has an answer. */
function whyNothing(results: readonly BatchOutcome[]): string {
  const codes = [...new Set(results.map(({ error }) => error))]
  const none =
    results.length === 1
      ? 'The one question has no answer'
      : `None of the ${results.length} questions has an answer`
  return `${none}: ${codes.join(', ')}`
}
