/** OpenAPI 3.1, derived from the origins: what agents and registries read. */
import manifest from '../../../package.json' with { type: 'json' }
import { receiptNetworks } from '../../../schemas/tables/networks.ts'
import { contractOf, type Endpoint, type FreeRoute, type Operation } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { receipt } from '../../till/receipt.ts'
import { type CatalogOptions, limitsOf, mppOf, titlesOf, urlOf } from './offered.ts'
import { allFailures, type FailureKind, type ResponseOrRef } from './openapi-failures.ts'
import { paidParameters, parameters } from './openapi-parameters.ts'
import { type PaymentInfo, paymentInfo } from './openapi-price.ts'
import { errorSchema, jsonSchema, toldSchema } from './schemas.ts'
import { onceEach } from './shared-schemas.ts'

const guidance = (paidOn: string) =>
  `Every priced operation is a POST. Call it without payment to get 402 with the price in PAYMENT-REQUIRED (x402 v2, USDC on ${paidOn}). Repeat the same request with PAYMENT-SIGNATURE to get 200 with the answer and a receipt. Send an Idempotency-Key (8 to 128 visible ASCII characters) to get the paid answer again for 10 minutes without a second payment. Any answer that is not 200 charges nothing itself; charged says what is known of the payment that came with it. A path without x-payment-info needs no payment.`

export function openapi(origins: readonly OpenOrigin[], options: CatalogOptions) {
  const { contact, paidOn } = options
  const [first, ...others] = origins
  const url = urlOf(origins)
  const { schemas, written } = onceEach(answersOf(origins))
  const { responses, of: failures } = allFailures(
    origins.flatMap(({ operations, free }) => [
      ...operations.map((each): [Endpoint, FailureKind] => [each, 'Paid']),
      ...free.map((each): [Endpoint, FailureKind] => [each, 'Free']),
    ]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Farebox',
      version: first && !others.length ? first.version : manifest.version,
      description: `${titlesOf(origins)}, paid in USDC over x402. No account, no key; a failed call is free.`,
      contact: contact.includes('@') ? { email: contact } : { url: contact },
      license: {
        name: `${manifest.license}: the software. Each answer names its source`,
        identifier: manifest.license,
      },
      'x-guidance': [guidance(paidOn), mppOf(options), limitsOf(options)].filter(text => text).join(' '),
    },
    servers: [{ url }],
    tags: origins.map(({ name, title }) => ({ name, description: title })),
    'x-agentcash-guidance': { llmsTxtUrl: `${url}/llms.txt` },
    paths: Object.fromEntries(
      origins.flatMap(origin => pathsOf(origin, url, { written, failures, options })),
    ),
    components: {
      schemas: { Error: jsonSchema(errorSchema), Receipt: jsonSchema(receipt), ...schemas },
      parameters,
      responses,
    },
  }
}

/** The schemas of all answers. A document of fifty operations writes what they share once. Questions refer to nothing. */
const answersOf = (origins: readonly OpenOrigin[]) =>
  origins.flatMap(origin =>
    [...origin.operations, ...origin.free].map(endpoint => ({
      name: endpoint.id,
      schema: { ...toldSchema({ ...endpoint, origin }, 'response') },
    })),
  )

type Written = ReturnType<typeof onceEach>['written']

interface PathItem {
  servers?: { url: string }[]
  get?: Described
  post?: Described
}

interface Described {
  operationId: string
  description: string
  parameters?: readonly object[]
  requestBody?: ReturnType<typeof bodyOf>
  responses: Record<string, ResponseOrRef>
  'x-payment-info'?: PaymentInfo
}

interface Telling {
  written: Written
  failures: ReadonlyMap<string, Record<string, ResponseOrRef>>
  options: CatalogOptions
}

function pathsOf(origin: OpenOrigin, documentUrl: string, telling: Telling): [path: string, PathItem][] {
  const servers = origin.url === documentUrl ? {} : { servers: [{ url: origin.url }] }
  return [
    ...origin.operations.map((operation): [string, PathItem] => [
      operation.path,
      { ...servers, post: priced(origin, operation, telling) },
    ]),
    ...origin.free.map((route): [string, PathItem] => [
      route.path,
      { ...servers, [route.method === 'GET' ? 'get' : 'post']: free(origin, route, telling) },
    ]),
  ]
}

const common = ({ name }: OpenOrigin, { id, title, about, tags }: Endpoint) => ({
  operationId: id,
  summary: title,
  description: about,
  tags: [name],
  'x-keywords': tags,
  security: [],
})

function priced(
  origin: OpenOrigin,
  operation: Operation,
  { written, failures, options }: Telling,
): Described {
  return {
    ...common(origin, operation),
    description:
      operation.sold === 'whole' ? `${operation.about} Sold whole, or not at all.` : contractOf(operation),
    'x-payment-info': paymentInfo(operation, options),
    parameters: paidParameters,
    requestBody: bodyOf(origin, operation),
    responses: {
      200: {
        description:
          'The answer with its receipt; the settlement is in PAYMENT-RESPONSE, and in Payment-Receipt if MPP has paid',
        content: answerOf(withReceipt(written(operation.id)), operation, {
          receipt: receiptOf(operation),
        }),
      },
      402: { $ref: '#/components/responses/PaymentRequired' },
      ...failures.get(operation.id),
    },
  }
}

function free(origin: OpenOrigin, route: FreeRoute, { written, failures }: Telling): Described {
  return {
    ...common(origin, route),
    ...(route.method === 'GET'
      ? { parameters: parametersOf(origin, route) }
      : { requestBody: bodyOf(origin, route) }),
    responses: {
      200: { description: 'The answer', content: answerOf(written(route.id), route) },
      ...failures.get(route.id),
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

const bodyOf = (origin: OpenOrigin, endpoint: Endpoint) => ({
  required: false,
  content: {
    'application/json': {
      schema: toldSchema({ ...endpoint, origin }, 'request'),
      example: endpoint.example.request,
    },
  },
})

function parametersOf(origin: OpenOrigin, endpoint: Endpoint) {
  const { properties = {}, required = [] } = toldSchema({ ...endpoint, origin }, 'request')
  const { example } = endpoint
  const asked = example.request as Record<string, unknown>
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(asked[name] === undefined ? {} : { example: asIn(schema, asked[name]) }),
  }))
}

/** In a query string every value is text. The schema says what is meant. */
const asIn = (schema: { type?: unknown }, value: unknown): unknown =>
  schema.type === 'integer' || schema.type === 'number' ? Number(value) : value

const withReceipt = ({ properties, required = [], ...schema }: ReturnType<typeof jsonSchema>) => ({
  ...schema,
  properties: { ...properties, receipt: { $ref: '#/components/schemas/Receipt' } },
  required: [...required, 'receipt'],
})
