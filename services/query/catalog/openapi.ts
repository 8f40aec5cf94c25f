/** OpenAPI 3.1, derived from the origins: what agents and registries read. */
import manifest from '../../../package.json' with { type: 'json' }
import { receiptNetworks } from '../../../schemas/tables/networks.ts'
import { errors, isOfPayments } from '../../offer/errors.ts'
import type { Endpoint, FreeRoute, Operation } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { receipt } from '../../till/receipt.ts'
import { type CatalogOptions, limitsOf, titlesOf, urlOf } from './offered.ts'
import { errorSchema, jsonSchema } from './schemas.ts'

const guidance = (paidOn: string) =>
  `Every priced operation is a POST. Call it without payment to get 402 with the price in PAYMENT-REQUIRED (x402 v2, USDC on ${paidOn}). Repeat the same request with PAYMENT-SIGNATURE to get 200 with the answer and a receipt. Send an Idempotency-Key (8 to 128 visible ASCII characters) to get the paid answer again for 10 minutes without a second payment. Any answer that is not 200 charges nothing itself; charged says what is known of the payment that came with it. A path without x-payment-info needs no payment.`

export function openapi(origins: readonly OpenOrigin[], options: CatalogOptions) {
  const { contact, paidOn } = options
  const [first, ...others] = origins
  const url = urlOf(origins)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version: first && !others.length ? first.version : manifest.version,
      description: `${titlesOf(origins)}, paid in USDC over x402. No account, no key; a failed call is free.`,
      contact: contact.includes('@') ? { email: contact } : { url: contact },
      'x-guidance': `${guidance(paidOn)} ${limitsOf(options)}`,
    },
    servers: [{ url }],
    tags: origins.map(({ name, title }) => ({ name, description: title })),
    'x-agentcash-guidance': { llmsTxtUrl: `${url}/llms.txt` },
    paths: Object.fromEntries(origins.flatMap(origin => pathsOf(origin, url))),
    components: { schemas: { Error: jsonSchema(errorSchema), Receipt: jsonSchema(receipt) } },
  }
}

interface PathItem {
  servers?: { url: string }[]
  get?: Described
  post?: Described
}

interface Described {
  operationId: string
  parameters?: { name: string; in: string; required: boolean; schema: object; description?: string }[]
  requestBody?: ReturnType<typeof bodyOf>
  responses: Record<string, { description: string; content?: object }>
  'x-payment-info'?: { price: { mode: 'fixed'; currency: 'USD'; amount: string }; protocols: object[] }
}

function pathsOf(origin: OpenOrigin, documentUrl: string): [path: string, PathItem][] {
  const servers = origin.url === documentUrl ? {} : { servers: [{ url: origin.url }] }
  return [
    ...origin.operations.map((operation): [string, PathItem] => [
      operation.path,
      { ...servers, post: priced(origin, operation) },
    ]),
    ...origin.free.map((route): [string, PathItem] => [
      route.path,
      { ...servers, [route.method === 'GET' ? 'get' : 'post']: free(origin, route) },
    ]),
  ]
}

const common = ({ name }: OpenOrigin, { id, title, about, tags }: Endpoint) => ({
  operationId: id,
  summary: title,
  description: about,
  tags: [name, ...tags],
  security: [],
})

function priced(origin: OpenOrigin, operation: Operation): Described {
  return {
    ...common(origin, operation),
    'x-payment-info': {
      price: { mode: 'fixed', currency: 'USD', amount: operation.price },
      protocols: [{ x402: {} }],
    },
    parameters: [
      {
        name: 'PAYMENT-SIGNATURE',
        in: 'header',
        required: false,
        schema: { type: 'string', maxLength: 8192 },
        description:
          'The payment: base64 of JSON of x402 v2, as a client signs it for one entry of accepts in PAYMENT-REQUIRED. Absent: 402. Its extensions["payment-identifier"].info.id (16 to 128 letters, digits, _ or -), which the client makes up, gets the answer of this very payment again as an Idempotency-Key does',
      },
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        schema: { type: 'string', minLength: 8, maxLength: 128 },
        description:
          'For 10 minutes the same key, path and body get the paid answer again. idempotency_conflict: another call holds the key or the payment-identifier now, or it has bought an answer that is not given for it alone',
      },
      {
        name: 'SIGN-IN-WITH-X',
        in: 'header',
        required: false,
        schema: { type: 'string' },
        description:
          'Beside a payment that was presented before: what its wallet has signed, as 409 payment_already_used asks in extensions. It is base64 of JSON, and gets an answer that was paid and lost, until kept_until',
      },
    ],
    requestBody: bodyOf(operation),
    responses: {
      200: {
        description: 'The answer with its receipt; the settlement is in PAYMENT-RESPONSE',
        content: answerOf(withReceipt(jsonSchema(operation.response)), operation, {
          receipt: receiptOf(operation),
        }),
      },
      402: { description: 'Payment required: the quote is in PAYMENT-REQUIRED, and the body repeats it' },
      ...failuresOf(operation, () => true, tells),
    },
  }
}

function free(origin: OpenOrigin, route: FreeRoute): Described {
  return {
    ...common(origin, route),
    ...(route.method === 'GET' ? { parameters: parametersOf(route) } : { requestBody: bodyOf(route) }),
    responses: {
      200: { description: 'The answer', content: answerOf(jsonSchema(route.response), route) },
      ...failuresOf(route, code => !isOfPayments(code), 'Free'),
    },
  }
}

const answerOf = (schema: object, { example }: Endpoint, more: object = {}) => ({
  'application/json': {
    schema,
    ...(example.response === undefined ? {} : { example: { ...example.response, ...more } }),
  },
})

/** The receipt of an invented payment. */
const receiptOf = ({ id, price }: Operation): object => ({
  request_id: '00000000-0000-4000-8000-000000000000',
  fetched_at: '2026-01-01T00:00:00.000Z',
  tool: id,
  price_usdc: Number(price),
  charged: true,
  network: receiptNetworks[0],
  payment_tx: `0x${'0'.repeat(64)}`,
})

const bodyOf = ({ request, example }: Endpoint) => ({
  required: false,
  content: { 'application/json': { schema: jsonSchema(request, 'input'), example: example.request } },
})

function parametersOf({ request, example }: Endpoint) {
  const { properties = {}, required = [] } = jsonSchema(request, 'input')
  const asked = example.request as Record<string, unknown>
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(asked[name] === undefined ? {} : { example: asked[name] }),
  }))
}

const withReceipt = ({ properties, required = [], ...schema }: ReturnType<typeof jsonSchema>) => ({
  ...schema,
  properties: { ...properties, receipt: { $ref: '#/components/schemas/Receipt' } },
  required: [...required, 'receipt'],
})

const tells =
  'This call charges nothing; `charged` says whether the payment that came with it was charged before (true), was not (false), or that nobody can tell yet (null)'

/** Lists the error codes of this endpoint by status. Its own codes come first. */
function failuresOf({ refusals }: Endpoint, canEndIn: (code: string) => boolean, ending: string) {
  const shared = Object.entries(errors)
    .filter(([code]) => canEndIn(code))
    .map(([code, [status, about]]) => [code, { status, about }] as const)
  const all = [...Object.entries(refusals), ...shared]
  const statuses = [400, 409, 413, 415, 422, 429, 431, 500, 502, 503]
  return Object.fromEntries(
    statuses.flatMap(status => {
      const codes = all.filter(([, refusal]) => refusal.status === status)
      if (!codes.length) return []
      const description = codes.map(([code, { about }]) => `\`${code}\`: ${about}`).join('. ')
      const schema = { $ref: '#/components/schemas/Error' }
      return [
        [status, { description: `${description}. ${ending}.`, content: { 'application/json': { schema } } }],
      ]
    }),
  )
}
