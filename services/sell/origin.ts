/** Reads one file that sells, and makes an origin of it. */
import type { z } from 'zod'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import type { Operation } from '../offer/operation.ts'
import type { Origin } from '../offer/origin.ts'
import { mistake } from '../query/mistakes.ts'
import { type Fault, SellDocument } from './document.ts'
import { form as fileForm, formFault, type OperationForm, type SellForm } from './form.ts'
import { mostKeptBytes } from './kept.ts'
import { type Described, describedIn } from './openapi/described.ts'
import { operationOf } from './operation.ts'
import type { SellEnvironment } from './secrets.ts'

export interface SellContext extends SellEnvironment {
  /** Its own name, in what is told of it. */
  file: string
  /** What is sold already, and the paths and tools that are in use. */
  origins: ReadonlySet<string>
  paths: ReadonlySet<string>
  tools: ReadonlySet<string>
  /** The names of operations in receipts. */
  ids: ReadonlySet<string>
  /** The text of a file that the file names, from its own folder. Throws an Error that says why there is none. */
  beside(name: string): string
}

export interface ReadFile {
  faults: readonly Fault[]
  /** What is said of each operation, by its path, where the file is well-formed. */
  forms?: Readonly<Record<string, OperationForm>>
  /** Absent if there are faults. */
  origin?: Origin
}

export function originOf(text: string, context: SellContext): ReadFile {
  const document = new SellDocument(text)
  if (document.value === undefined) return { faults: document.faults }
  const read = fileForm.safeParse(document.value, { error: wholeOr(mistake) })
  for (const issue of read.error?.issues ?? []) tellIssue(document, issue)
  const form = read.data ?? soundPart(document.value, read.error.issues)
  if (!form) return { faults: inOrder(document) }
  const { origin: name, title, version } = form
  const wrong = formFault(form)
  if (wrong && (read.success || wrong[0] !== 'operations')) document.fault([wrong[0]], wrong[1])
  for (const message of nameFault({ name, address: addressOf(name) }, context))
    document.fault(['origin'], message)
  const described = describedIn({ form, file: document, beside: context.beside })
  const declared = [...declaredIn(document, form), ...described.sold]
  const operations: Operation[] = []
  const lookups: Lookup[] = []
  for (const { path, form: each, tell } of declared) {
    const made = operationOf({
      ...{ origin: name, path, form: each, environment: context, tell },
      place: `${context.file}:${document.placeOf(['operations', path, 'from', kindOf(each)])}`,
      mostKeptBytes: Math.floor(mostKeptBytes / declared.length),
    })
    if (!made) continue
    for (const operation of made.operations) {
      for (const message of placeFaults(operation, operations, context)) tell([], message, { isName: true })
      operations.push(operation)
    }
    lookups.push(made.lookup as Lookup)
  }
  const faults = [...inOrder(document), ...described.faults()]
  const forms = Object.fromEntries(declared.map(each => [each.path, each.form]))
  if (faults.length) return { faults, forms }
  const origin: Origin = {
    ...{ name, title, version, address: addressOf(name), operations, lookups, free: [], pages: [] },
    ...(form.pay_to && { payTo: form.pay_to }),
  }
  return { faults, forms, origin }
}

const kindOf = ({ from }: OperationForm) => ('module' in from ? 'module' : 'view' in from ? 'view' : 'http')

/** In place of a malformed word, so that what is wrong with the rest is told at the same time. */
const standIns: Readonly<Record<string, string>> = { title: 'x', price: '0.000001' }
/** Without one of these, the rest would have faults that it has not. */
const ofTheRest: ReadonlySet<unknown> = new Set(['question', 'from', 'example'])

/** The file without what is malformed in it. Undefined if too little is left. */
function soundPart(value: unknown, issues: readonly z.core.$ZodIssue[]): SellForm | undefined {
  const rest = structuredClone(value) as Record<string, unknown>
  for (const issue of issues) {
    const [word, name, part] = issue.path.map(String)
    const isOne = (word === 'operations' || word === 'prices') && name !== undefined
    const many = isOne ? fieldsOf(rest[word]) : undefined
    const one = isOne ? fieldsOf(many?.[name]) : rest
    const last = isOne ? part : word
    if (issue.code === 'unrecognized_keys' && last === undefined)
      for (const key of issue.keys) delete one?.[key]
    else if (one && last !== undefined && !ofTheRest.has(last)) one[last] = standIns[last]
    else if (isOne) delete many?.[name]
  }
  return fileForm.safeParse(rest).data
}

const fieldsOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined

type Words = typeof mistake

/** An empty file, a list or a text has no fields to speak of. */
const wholeOr =
  (words: Words): Words =>
  issue =>
    issue.code === 'invalid_type' && !issue.path?.length
      ? 'the file should hold origin, title and operations'
      : words(issue)

const declaredIn = (document: SellDocument, { operations }: SellForm): Described[] =>
  Object.entries(operations).map(([path, form]) => ({
    path: path as `/${string}`,
    form,
    tell: (rest, message, options) => document.fault(['operations', path, ...rest], message, options),
  }))

const addressOf = (name: string) => `${name.toUpperCase()}_URL` as const

export const inOrder = ({ faults }: SellDocument): Fault[] =>
  faults.toSorted((a, b) => a.line - b.line || a.column - b.column)

export function tellIssue(document: SellDocument, issue: z.core.$ZodIssue): void {
  const { path, message } = issue
  if (issue.code === 'invalid_union' && path.at(-1) === 'from') {
    // Its word says which kind is meant.
    const [ofHttp = [], ofView = [], ofModule = []] = issue.errors
    const ofWord = document.has([...path, 'module']) ? ofModule : ofHttp
    for (const each of document.has([...path, 'view']) ? ofView : ofWord)
      tellIssue(document, { ...each, path: [...path, ...each.path] })
  } else if (issue.code === 'invalid_union' && path[0] === 'prices' && document.has([...path, 'price'])) {
    for (const each of issue.errors[1] ?? []) tellIssue(document, { ...each, path: [...path, ...each.path] })
  } else if (issue.code === 'unrecognized_keys')
    for (const key of issue.keys) document.fault([...path, key], message, { isName: true })
  else if (issue.code === 'invalid_key')
    document.fault(path, issue.issues[0]?.message ?? message, { isName: true })
  else document.fault(path, message)
}

export const nameFault = (
  { name, address }: Pick<Origin, 'name' | 'address'>,
  { origins, isOurs }: SellContext,
): string[] => (origins.has(name) || isOurs(address) ? [`${name} is taken: choose another name`] : [])

export function placeFaults(
  { id, path }: Pick<Operation, 'id' | 'path'>,
  before: readonly Pick<Operation, 'id' | 'path'>[],
  { paths, tools, ids }: SellContext,
): string[] {
  const [, first = ''] = path.split('/')
  const twin = before.find(other => other.id === id || toolOf(other.path) === toolOf(path))
  return [
    ...(paths.has(path) || paths.has(`/${first}/*`) ? ['something else is at this path already'] : []),
    ...(tools.has(toolOf(path)) ? [`its tool over MCP would be ${toolOf(path)}, which is another`] : []),
    ...(ids.has(id) ? [`its name in receipts would be ${id}, which is another`] : []),
    ...(twin ? [`its name in receipts or over MCP is that of ${twin.path}`] : []),
  ]
}

const toolOf = (path: string): string => path.slice(1).replaceAll('/', '_')
