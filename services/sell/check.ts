/** What `npm run sell -- check` tells: the faults of a file, or what it would sell. */

import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import type { Outside } from '../../pipelines/rails/outside/upstreams/outside.ts'
import type { Process } from '../../pipelines/rails/process.ts'
import { attachStore } from '../../pipelines/rails/store/open-store.ts'
import { type Store, StoreError } from '../../pipelines/rails/store/store.ts'
import { instant } from '../../schemas/values/values.ts'
import { readConfig } from '../config/config.ts'
import { environmentOf } from '../config/environment.ts'
import { Failure, Refused } from '../offer/errors.ts'
import type { Operation, Tools } from '../offer/operation.ts'
import type { Origin } from '../offer/origin.ts'
import { origins } from '../origins/index.ts'
import { answerOf, questionOf } from '../query/answers.ts'
import { toolName } from '../query/mcp/tools.ts'
import { isCode } from './code/code-origin.ts'
import { lineOf, readFile } from './files.ts'
import type { OperationForm } from './form.ts'

interface Wishes {
  env: Readonly<Record<string, string | undefined>>
  /** Asks the upstream of each operation once. */
  call: boolean
}

export async function checked(
  file: string,
  { env, call }: Wishes,
): Promise<{ lines: string[]; isSound: boolean }> {
  const { shape } = environmentOf(origins)
  const { faults, forms, origin } = readFile(file, origins, {
    set: env,
    asks: true,
    isOurs: variable => Object.hasOwn(shape, variable),
  })
  if (!origin || !forms) return { lines: faults.map(fault => lineOf(file, fault)), isSound: false }
  const lines = [
    `${file} sells as ${origin.name} (${origin.title}), at ${origin.address}, or PUBLIC_URL while that is unset:`,
    ...origin.operations.flatMap(operation => ['', ...told(operation, forms)]),
  ]
  if (!call) {
    const broken = await brokenModules(origin, forms)
    return broken.length ? { lines: broken, isSound: false } : { lines, isSound: true }
  }
  const asked = await answers(origin, env, whyNotOf(file))
  return {
    lines: [...lines, ...asked.flatMap(({ line }) => ['', line])],
    isSound: asked.every(({ isFine }) => isFine),
  }
}

/** Whether a module can be loaded shows when it is. What the engine makes of a query shows only where there is a store: `--call`. */
async function brokenModules({ operations, lookups = [] }: Origin, forms: Forms): Promise<string[]> {
  const ofModules = operations.filter(({ path }) => 'module' in (forms[path]?.from ?? {})).map(({ id }) => id)
  const loaded = await Promise.allSettled(
    lookups
      .filter(({ name }) => ofModules.includes(name))
      .map(lookup => lookup.needs?.({ now: Date.now, tell: console.error } as never)),
  )
  return loaded.flatMap(each => {
    if (each.status === 'fulfilled') return []
    if (each.reason instanceof ConfigError) return each.reason.message
    throw each.reason
  })
}

type Forms = Readonly<Record<string, OperationForm>>

function told(operation: Operation, operations: Forms): string[] {
  const { path, price, title, id } = operation
  const form = operations[path]
  if (!form) return [`POST ${path}  ${price} USDC  ${title}`]
  const refusals = Object.entries(form.refuse).map(([status, { code }]) => `${status} is ${code}`)
  return [
    `POST ${path}  ${price} USDC  ${title}`,
    `  over MCP: ${toolName(operation)}; in receipts: ${id}`,
    `  takes     ${Object.keys(form.question).join(', ') || 'nothing'}`,
    `  asks      ${sourceOf(form)}`,
    `  free      ${[...refusals, 'every other failure'].join(', ')}`,
    ...(form.keep === undefined ? [] : [`  kept      ${form.keep / 1000} s`]),
    ...(form.watch ? [`  watched   each ${form.watch.every / 1000} s, for subscribers`] : []),
    ...(form.example.answer === undefined ? ['  Its page shows no answer: example.answer has none.'] : []),
  ]
}

const sourceOf = ({ from }: OperationForm): string =>
  'module' in from
    ? `the module ${from.module}`
    : 'view' in from
      ? from.view.replace(/\s+/g, ' ')
      : `${from.method ?? (from.body === undefined ? 'GET' : 'POST')} ${from.http}`

type Answered = Awaited<ReturnType<typeof answered>>

async function answers(
  origin: Origin,
  env: Wishes['env'],
  whyNot: (error: unknown) => string,
): Promise<Answered[]> {
  let opening: Promise<Store> | undefined
  const store = () => {
    const { STORE_URL, STORE_CLUSTER } = readConfig({ ...env, SELL: undefined })
    opening ??= attachStore(STORE_URL, { cluster: STORE_CLUSTER })
    return opening
  }
  try {
    return await Promise.all(
      origin.operations.map(operation => answered(operation, { origin, store, whyNot })),
    )
  } finally {
    await (await opening?.catch(() => undefined))?.close()
  }
}

interface Asking {
  origin: Origin
  store(): Promise<Store>
  whyNot(error: unknown): string
}

/** Asks as a caller would who has paid. */
async function answered(operation: Operation, { origin, store, whyNot }: Asking) {
  const { path, example } = operation
  const { lookups = [] } = origin
  const asked = `POST ${path} ${JSON.stringify(example.request)}`
  try {
    const question = questionOf(operation, example.request)
    const text = await answerOf(operation, question, { tools: toolsOf(lookups, store), checkAnswers: true })
    const shown = text.length > mostShown ? `${text.slice(0, mostShown)}…` : text
    return { line: `${asked} would be sold:\n${shown}`, isFine: true }
  } catch (error) {
    return { line: `${asked} would be free: ${whyNot(error)}`, isFine: false }
  }
}

const mostShown = 2_000

/** The tools of the door, as far as a file uses them. No feed is polled here, so each counts as fresh. */
function toolsOf(lookups: readonly Lookup[], store: () => Promise<Store>): Tools {
  const now = Date.now
  const find = async (lookup: Lookup, key: unknown) => {
    if (!lookups.includes(lookup))
      throw new Error(`the lookup ${lookup.name} is the seller's: it is not asked here`)
    const needs = await lookup.needs?.({ now, store, tell: console.error } as Pick<
      Process,
      'now' | 'store' | 'tell'
    > as Process)
    return lookup.open(needs).find(key, { now, signal: AbortSignal.timeout(lookup.timeoutMs) } as Outside)
  }
  const view = () => ({ get: () => ({ good_at: instant(now()) }) })
  return { now, find, view } as unknown as Tools
}

/** What code of the operator throws is his. */
const whyNotOf = (file: string) => (error: unknown) => whyNot(error, isCode(file))

function whyNot(error: unknown, ofCode: boolean): string {
  if (error instanceof Refused || error instanceof Failure) return `${error.code}, ${error.message}`
  if (error instanceof UpstreamFailed || error instanceof ConfigError || error instanceof StoreError)
    return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'the upstream took too long'
  if (ofCode && error instanceof Error) return error.message
  throw error
}
