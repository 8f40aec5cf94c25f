/** The calls that a running seller's openapi.json describes. It may be anybody's: each part is bounded, and what has no method is told. */
import { errors } from '../offer/errors.ts'
import type { ClientCall } from '../query/catalog/client-calls.ts'
import { pythonName } from '../query/catalog/python.ts'
import { pythonKeywords } from '../query/catalog/python-shapes.ts'
import { methodName } from '../query/catalog/typescript.ts'
import { isFields, lineOf, ownOf, SellerSchemas } from './seller-schema.ts'

const mostCalls = 500
const mostParts = 4_000
const mostPartsInAll = 50_000
const mostTold = 50

export interface SellerCalls {
  calls: ClientCall[]
  /** What is left out, a line each. */
  leftOut: string[]
}

/** Throws where it is no document of a seller. */
export function sellerCalls(document: unknown, address: string): SellerCalls {
  const paths = ownOf(document, 'paths')
  if (!String(ownOf(document, 'openapi')).startsWith('3.') || !isFields(paths))
    throw new Error('it is no document of OpenAPI 3')
  const reading = new Reading(document, new URL(address).origin)
  for (const [path, item] of Object.entries(paths))
    for (const method of ['post', 'get'] as const) {
      const operation = ownOf(item, method)
      if (isFields(operation)) reading.take(path, method, { item, operation })
    }
  const { calls, leftOut } = reading
  if (!calls.length) throw new Error('it describes nothing that can be asked')
  const rest = leftOut.length - mostTold
  return { calls, leftOut: [...leftOut.slice(0, mostTold), ...(rest > 0 ? [`and ${rest} more`] : [])] }
}

const pathForm = /^(?:\/[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*)(?:\/[a-z0-9]+(?:[-_][a-z0-9]+)*)*$/
const priceForm = /^\d{1,7}(?:\.\d{1,6})?$/

/** Methods that the clients have themselves, and names that every object has. */
const taken: ReadonlySet<string> = new Set([
  ...['call', 'quote', 'verify', 'close', 'then', 'catch', 'finally', 'toJSON', 'prototype'],
  ...Object.getOwnPropertyNames(Object.prototype),
])

class Reading {
  readonly calls: ClientCall[] = []
  readonly leftOut: string[] = []
  readonly #schemas: SellerSchemas
  readonly #origin: string
  readonly #names = new Set<string>()
  #parts = 0

  constructor(document: unknown, origin: string) {
    this.#schemas = new SellerSchemas(document, mostParts)
    this.#origin = origin
  }

  take(
    path: string,
    method: 'get' | 'post',
    { item, operation }: { item: unknown; operation: unknown },
  ): void {
    const why = this.#whyNot(path, item)
    if (why !== undefined) {
      this.leftOut.push(`${lineOf(path, 100)}: ${why}`)
      return
    }
    this.#names.add(pythonName(path))
    const price = priceIn(operation)
    this.#schemas.begin()
    const question = this.#questionOf(operation, method)
    const answer = this.#schemas.of(jsonIn(ownOf(ownOf(operation, 'responses'), '200')))
    const isTyped = !this.#schemas.isSpent && this.#parts < mostPartsInAll
    this.#parts += this.#schemas.taken
    if (!isTyped) this.leftOut.push(`${path}: its types, which have too many parts`)
    this.calls.push({
      ...{ method: method === 'get' ? 'GET' : 'POST', path },
      title: lineOf(ownOf(operation, 'summary'), 100) || path,
      about: lineOf(ownOf(operation, 'description'), 500) || path,
      ...(price && { price }),
      question: isTyped ? question : {},
      answer: isTyped ? withoutReceipt(answer) : {},
      refusals: refusalsIn(operation),
    })
  }

  #whyNot(path: string, item: unknown): string | undefined {
    if (this.calls.length >= mostCalls) return `beyond ${mostCalls} operations`
    if (path.length > 100 || !pathForm.test(path)) return 'no name can be made of its path'
    if (taken.has(methodName(path)) || pythonKeywords.has(pythonName(path)))
      return 'its name is one of the client itself: ask it by call()'
    if (this.#names.has(pythonName(path))) return 'another path has the same name'
    const [server] = [ownOf(item, 'servers')].flat()
    const url = ownOf(server, 'url')
    const isElsewhere = typeof url === 'string' && URL.canParse(url) && new URL(url).origin !== this.#origin
    return isElsewhere ? `it is sold at ${new URL(url).origin}` : undefined
  }

  #questionOf(operation: unknown, method: 'get' | 'post') {
    if (method === 'post') return this.#schemas.of(jsonIn(ownOf(operation, 'requestBody')))
    const parameters = [ownOf(operation, 'parameters') ?? []]
      .flat()
      .filter(each => ownOf(each, 'in') === 'query')
    const named = parameters.map(each => [String(ownOf(each, 'name')), each] as const)
    return this.#schemas.of({
      type: 'object',
      properties: Object.fromEntries(named.map(([name, each]) => [name, ownOf(each, 'schema')])),
      required: named.filter(([, each]) => ownOf(each, 'required') === true).map(([name]) => name),
    })
  }
}

const jsonIn = (body: unknown): unknown => ownOf(ownOf(ownOf(body, 'content'), 'application/json'), 'schema')

function priceIn(operation: unknown): string | undefined {
  const price = ownOf(ownOf(operation, 'x-payment-info'), 'price')
  const amount = ownOf(price, 'amount') ?? ownOf(price, 'max')
  return typeof amount === 'string' && priceForm.test(amount) ? amount : undefined
}

function withoutReceipt({
  properties,
  required = [],
  ...schema
}: ClientCall['answer']): ClientCall['answer'] {
  if (!properties) return schema
  const { receipt: _, ...own } = properties
  return { ...schema, properties: own, required: required.filter(name => name !== 'receipt') }
}

const mostCodes = 50

/** Its own codes stand in the descriptions of its failures, each with its meaning behind a colon. */
function refusalsIn(operation: unknown): ClientCall['refusals'] {
  const responses = ownOf(operation, 'responses')
  const texts = isFields(responses)
    ? Object.entries(responses).flatMap(([status, response]) => {
        const text = ownOf(response, 'description')
        return /^[45]\d\d$/.test(status) && typeof text === 'string' ? text.slice(0, 10_000) : []
      })
    : []
  const codes = texts.flatMap(text =>
    [...text.matchAll(/`([a-z][a-z0-9_]{2,39})`: /g)].map(([, code = '']) => code),
  )
  return Object.fromEntries(
    [...new Set(codes)]
      .filter(code => !Object.hasOwn(errors, code) && code !== 'refused' && !taken.has(code))
      .slice(0, mostCodes)
      .map(code => [code, { about: 'A refusal of this seller' }]),
  )
}
