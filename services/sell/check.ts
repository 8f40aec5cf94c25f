/** What `npm run sell -- check` tells: the faults of a file, or what it would sell. */

import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import { UpstreamFailed } from '../../pipelines/rails/failures.ts'
import { environmentOf } from '../config/environment.ts'
import { Failure, Refused } from '../offer/errors.ts'
import type { Operation, Tools } from '../offer/operation.ts'
import type { Origin } from '../offer/origin.ts'
import { origins } from '../origins/index.ts'
import { answerOf, questionOf } from '../query/answers.ts'
import { toolName } from '../query/mcp/tools.ts'
import { lineOf, readFile } from './files.ts'
import type { OperationForm, SellForm } from './form.ts'

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
  const { faults, form, origin } = readFile(file, origins, {
    set: env,
    isOurs: variable => Object.hasOwn(shape, variable),
  })
  if (!origin || !form) return { lines: faults.map(fault => lineOf(file, fault)), isSound: false }
  const lines = [
    `${file} sells as ${origin.name} (${origin.title}), at ${origin.address}, or PUBLIC_URL while that is unset:`,
    ...origin.operations.flatMap(operation => ['', ...told(operation, form)]),
  ]
  if (!call) return { lines, isSound: true }
  const asked = await Promise.all(origin.operations.map(operation => answered(operation, origin)))
  return {
    lines: [...lines, ...asked.flatMap(({ line }) => ['', line])],
    isSound: asked.every(({ isFine }) => isFine),
  }
}

function told(operation: Operation, { operations }: SellForm): string[] {
  const { path, price, title, id } = operation
  const form = operations[path] as OperationForm
  const refusals = Object.entries(form.refuse).map(([status, { code }]) => `${status} is ${code}`)
  return [
    `POST ${path}  ${price} USDC  ${title}`,
    `  over MCP: ${toolName(operation)}; in receipts: ${id}`,
    `  takes     ${Object.keys(form.question).join(', ') || 'nothing'}`,
    `  asks      ${sourceOf(form)}`,
    `  free      ${[...refusals, 'every other failure'].join(', ')}`,
    ...(form.keep === undefined ? [] : [`  kept      ${form.keep / 1000} s`]),
    ...(form.example.answer === undefined ? ['  Its page shows no answer: example.answer has none.'] : []),
  ]
}

const sourceOf = ({ from }: OperationForm): string =>
  `${from.method ?? (from.body === undefined ? 'GET' : 'POST')} ${from.http}`

/** Asks as a caller would who has paid. */
async function answered(operation: Operation, { lookups = [] }: Origin) {
  const { path, example } = operation
  try {
    const tools = { find: (lookup: Lookup, key: unknown) => found(lookups, lookup, key) } as unknown as Tools
    const text = await answerOf(operation, questionOf(operation, example.request), {
      tools,
      checkAnswers: true,
    })
    const shown = text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
    return { line: `POST ${path} ${JSON.stringify(example.request)} would be sold:\n${shown}`, isFine: true }
  } catch (error) {
    return {
      line: `POST ${path} ${JSON.stringify(example.request)} would be free: ${whyNot(error)}`,
      isFine: false,
    }
  }
}

async function found(lookups: readonly Lookup[], lookup: Lookup, key: unknown): Promise<unknown> {
  if (!lookups.includes(lookup)) throw new Error(`${lookup.name} is no lookup of the file`)
  const needs = await lookup.needs?.({ now: Date.now } as never)
  const signal = AbortSignal.timeout(lookup.timeoutMs)
  return lookup.open(needs).find(key, { signal, now: Date.now } as never)
}

function whyNot(error: unknown): string {
  if (error instanceof Refused || error instanceof Failure) return `${error.code}, ${error.message}`
  if (error instanceof UpstreamFailed) return error.message
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'the upstream took too long'
  throw error
}
