/** What a file that sells may say. The JSON Schema for editors is derived from it. */
import { z } from 'zod'
import { byNetwork, wallet } from './payees.ts'

const words = (what: string, most: number) =>
  z.string().trim().min(1, what).max(most, `${what}, of at most ${most} characters`)
/** A text that is shown, in one line. */
const line = (what: string, most: number) =>
  z
    .string()
    .transform(text => text.replace(/\s/g, ' ').trim())
    .pipe(words(what, most).regex(/^\P{Cc}+$/u, `${what}, without control characters`))
const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const
const sizes = { KB: 1 << 10, MB: 1 << 20 } as const

/** A number with its unit, in the smallest unit. */
const amount = <Unit extends string>(
  factors: Readonly<Record<Unit, number>>,
  [least, most]: [number, number],
  what: string,
) => {
  const form = new RegExp(`^([1-9]\\d{0,5})(${Object.keys(factors).join('|')})$`)
  const sizeOf = (text: string): number => {
    const [, count, unit] = form.exec(text) ?? []
    return Number(count) * factors[unit as Unit]
  }
  return z
    .string(what)
    .regex(form, { error: what, abort: true })
    .refine(text => sizeOf(text) >= least && sizeOf(text) <= most, { error: what, abort: true })
    .transform(sizeOf)
}

/** Names that every object of JavaScript has, and one that a call over MCP has beside its question. */
const taken = new Set([...Object.getOwnPropertyNames(Object.prototype), 'payment', 'prototype'])
const fieldName = z
  .string()
  .regex(/^[A-Za-z]\w{0,63}$/, 'a name in letters, digits and _, of at most 64')
  .refine(name => !taken.has(name), 'another name: this one is taken')

const value = z.union([z.string(), z.number(), z.boolean()], 'a text, a number, true or false')
const count = z.int('a whole number, 0 or more').min(0, 'a whole number, 0 or more')

/** A field of a question: JSON Schema 2020-12, as far as it is read. Any other word of it is refused. */
const field = z.strictObject({
  type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object']),
  says: line('what the field means', 300).optional(),
  description: line('what the field means', 300).optional(),
  default: z.json().optional(),
  enum: z.array(value).min(1, 'at least one value').max(1000, 'at most 1000 values').optional(),
  minLength: count.optional(),
  maxLength: count.max(60_000, 'at most 60000').optional(),
  pattern: words('a regular expression', 500).optional(),
  format: z.enum(['date', 'date-time', 'uuid', 'ipv4', 'ipv6', 'email']).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  exclusiveMaximum: z.number().optional(),
  multipleOf: z.number().positive('a number above 0').optional(),
  get items() {
    return field.optional()
  },
  minItems: count.optional(),
  maxItems: count.max(1000, 'at most 1000').optional(),
  get properties() {
    return z.record(fieldName, field).optional()
  },
  required: z.array(z.string()).optional(),
  optional: z
    .literal(true, 'true, or nothing')
    .optional()
    .describe(
      'It may be absent, and stands alone: then its place in the query, a header or a body is left out',
    ),
})

const within = amount(units, [50, 20_000], 'a time from 50ms to 20s, such as 5s')
  .default(5_000)
  .describe('How long it may take: 5s. What takes longer is free')

const template = words('a text, with names in braces', 4_000)

/** What comes back is read in one go, and held while it is sold. */
const mostAnswerBytes = 4 << 20

const fromHttp = z.strictObject({
  http: words('an address, as http:// or https://', 2_000).describe(
    'The address. {station} is a field of the question, ${TIDES_TOKEN} a variable; the host has neither',
  ),
  method: z.enum(['GET', 'POST']).optional().describe('GET; POST where there is a body'),
  query: z
    .record(words('a name', 100), template)
    .optional()
    .describe('More of the query. A list that stands alone is sent as the same name again and again'),
  joined: z
    .array(words('a name of query', 100))
    .max(50, 'at most 50 names')
    .optional()
    .describe('The names of the query whose list is one value, with commas'),
  headers: z.record(words('a name', 100), template).optional(),
  body: z
    .json()
    .optional()
    .describe('Is sent as JSON. "{station}" alone is the value of the field, whatever its type'),
  within,
  most: amount(sizes, [1 << 10, mostAnswerBytes], 'a size from 1KB to 4MB, such as 1MB')
    .default(1 << 20)
    .describe('The largest answer: 1MB. A larger one is free'),
  gives: z
    .enum(['json', 'text', 'bytes'])
    .default('json')
    .describe('What comes back. Bytes (a picture, a PDF) are sold as base64'),
  follow: z
    .array(words('an address, as https://host', 300))
    .max(5, 'at most 5 addresses')
    .optional()
    .describe('Where it may redirect to. Any other redirect is a failure'),
})

const fromView = z.strictObject({
  view: words('a query, as select …', 10_000).describe(
    'One select of tables and views of facts. {currency:String} is a field of the question, with its type in ClickHouse',
  ),
  rows: z
    .enum(['one', 'many'])
    .default('many')
    .describe('one: the answer is the first row, else a list. No row is a refusal'),
  within,
  fresh: z
    .strictObject({
      table: words('a table or view', 100),
      within: amount(
        { ...units, d: 86_400_000 },
        [60_000, 400 * 86_400_000],
        'a time from 1m to 400d, such as 2d',
      ),
    })
    .optional()
    .describe('The feeds of this table have been polled well within this time. Else the call is free'),
})

const fromModule = z.strictObject({
  module: words('a file', 500).describe(
    'A module of TypeScript or JavaScript beside this file, which exports defineOperation({ answer })',
  ),
  within,
  most: amount(sizes, [1 << 10, mostAnswerBytes], 'a size from 1KB to 4MB, such as 1MB')
    .default(1 << 20)
    .describe('The largest answer: 1MB. A larger one is free'),
  memory: amount(sizes, [32 << 20, 1 << 30], 'a size from 32MB to 1024MB, such as 128MB')
    .default(128 << 20)
    .describe(
      'The heap of one of its three processes. A process that needs more is ended, and the call is free',
    ),
  variables: z
    .array(words('a variable', 100))
    .max(20, 'at most 20 variables')
    .optional()
    .describe('The variables of the environment that it gets, as tools.env'),
  hosts: z
    .array(words('an address, as https://host', 300))
    .max(20, 'at most 20 addresses')
    .optional()
    .describe('The hosts that its fetch may ask though they are not public'),
})

const from = z
  .union([
    fromHttp.meta({ title: 'An HTTP API' }),
    fromView.meta({ title: 'A view of the store' }),
    fromModule.meta({ title: 'A module' }),
  ])
  .describe('Where the answer comes from: an HTTP API, a view of the store, or a module')

const code = z
  .string()
  .regex(/^[a-z][a-z0-9_]{2,39}$/, 'a code of 3 to 40 small letters, digits and _, such as unknown_station')

const refusal = z.union(
  [
    code.transform(given => ({ code: given, says: undefined })),
    z.strictObject({ code, says: line('a sentence', 200) }),
    line('a sentence', 200).transform(says => ({ code: '', says })),
  ],
  'a code such as unknown_station, or { code, says }',
)

/** What an operation costs. */
export const price = z
  .union([z.string(), z.number()], 'US dollars, such as 0.003')
  .transform(String)
  .refine(
    text => /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) > 0,
    'US dollars above 0, such as 0.003, with at most 6 digits after the point',
  )

const usualWatchMs = 15 * units.m

const inBatch = z
  .int('a number from 2 to 100')
  .min(2, 'a number from 2 to 100')
  .max(100, 'a number from 2 to 100')

const operation = z.strictObject({
  title: line('a title', 80),
  about: line('what it answers', 400)
    .optional()
    .describe('What it answers, for the quote and for agents. Absent: the title'),
  price: price.describe('US dollars a call'),
  question: z
    .record(fieldName, field)
    .refine(fields => Object.keys(fields).length <= 50, 'at most 50 fields')
    .default({})
    .describe(
      'Its fields, each as JSON Schema. All are required unless they have a default; nothing else is taken',
    ),
  from,
  refuse: z
    .record(
      z
        .string()
        .regex(
          /^(?:4\d\d|[a-z][a-z0-9_]{2,39})$/,
          'a status from 400 to 499, none for a view, or the code itself for a module',
        ),
      refusal,
    )
    .default({})
    .describe(
      'Which 4xx are refusals, by their codes; of a view, none is: no row; of a module, its codes, each with a sentence. They are free, and so is every other failure',
    ),
  keep: amount(units, [1_000, 86_400_000], 'a time from 1s to 24h, such as 10m')
    .optional()
    .describe('For how long an answer is sold again without asking'),
  batch: z
    .union(
      [
        inBatch.transform(most => ({ most, price: undefined })),
        z.strictObject({ most: inBatch, price: price.optional() }),
      ],
      'a number from 2 to 100, or { most, price }',
    )
    .optional()
    .describe(
      'Sells up to so many questions in one payment, at the path with /batch. Without a price it costs so many calls',
    ),
  verify: z
    .literal(true, 'true, or nothing')
    .optional()
    .describe(
      'Your upstream is asked only once a payment is verified, also that of a payer whose last one was good: for one that is dear to you',
    ),
  watch: z
    .union(
      [
        z.literal(true).transform(() => ({ every: usualWatchMs, only: undefined })),
        z.strictObject({
          every: amount(units, [60_000, 86_400_000], 'a time from 1m to 24h, such as 15m')
            .default(usualWatchMs)
            .describe('How often it is asked for again, for each subscription: 15m'),
          only: z
            .array(words('a field of the answer', 100))
            .min(1, 'at least one field')
            .max(50, 'at most 50 fields')
            .optional()
            .describe('The fields of the answer, or of each row, that are compared. Absent: all'),
        }),
      ],
      'true, or { every: 15m (at least 1m), only: [names] }',
    )
    .optional()
    .describe('Subscribers of /watch/subscribe hear when the answer changes'),
  answer: z
    .record(z.string(), z.json())
    .optional()
    .describe('JSON Schema of what comes back. What does not fit it is free. Absent: anything but null'),
  example: z.strictObject({
    question: z.record(z.string(), z.json()),
    answer: z.json().optional().describe('What really came back to it'),
  }),
})

/** Scheme, host, and a path of plain names. */
export const serverForm =
  /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~!&'()*+,;=:@-]+)*\/?$/

export const originName = z
  .string()
  .regex(/^[a-z][a-z0-9]{1,19}$/, 'a name of 2 to 20 small letters and digits, such as tides')
export const pathForm = /^(\/[a-z0-9]+(?:[-_][a-z0-9]+)*)+$/

/** The path of an operation, also that of its page. */
const path = z
  .string()
  .max(100, 'at most 100 characters')
  .regex(pathForm, 'a path such as /tide or /tide/next, in small letters, digits, - and _')

/** An operation of the document. What is not said here, the document says. */
const described = z.union(
  [
    price,
    operation
      .pick({ price: true, keep: true, batch: true, verify: true, watch: true, answer: true })
      .extend({
        path: path.optional().describe('Where it is sold. Absent: the operationId in small letters'),
        title: operation.shape.title.optional(),
        about: operation.shape.about,
        refuse: operation.shape.refuse.optional(),
        within: fromHttp.shape.within.optional(),
        most: fromHttp.shape.most.optional(),
        without: z
          .array(words('a name', 100))
          .max(50, 'at most 50 names')
          .default([])
          .describe('Parameters of the document that are not required, and not sold'),
        example: operation.shape.example.partial().optional(),
      })
      .strict(),
  ],
  'US dollars, or an object with a price',
)

export const form = z.strictObject({
  origin: originName.describe(
    'Its name in receipts and metrics. TIDES_URL is its address, and its variables begin with TIDES_',
  ),
  title: line('a title', 80),
  version: line('a version', 40).default('1.0.0'),
  pay_to: byNetwork(wallet)
    .optional()
    .describe('Who is paid for what this file sells, by network. Absent: PAY_TO_…'),
  openapi: words('a file', 500)
    .optional()
    .describe(
      'A document of OpenAPI 3.0 or 3.1, beside this file. prices says which of its operations are sold',
    ),
  server: z
    .string()
    .regex(serverForm, 'an address such as https://tides.internal/v2')
    .optional()
    .describe('Where the API of the document is. Absent: its first server'),
  query: fromHttp.shape.query.describe('More of the query of each operation of the document'),
  headers: fromHttp.shape.headers.describe('The headers of each operation of the document'),
  prices: z
    .record(words('an operationId', 200), described)
    .default({})
    .describe('The operations of the document that are sold, by their operationId'),
  operations: z.record(path, operation).default({}),
})

/** What one word cannot say. */
export function formFault(given: z.output<typeof form>): [path: string, message: string] | undefined {
  const { operations, prices, openapi, server, query, headers } = given
  const count = Object.keys(operations).length + Object.keys(prices).length
  if (count === 0 || count > 100) return ['operations', 'from 1 to 100 operations']
  if (openapi !== undefined) return undefined
  const wish = Object.entries({ server, query, headers, prices: Object.keys(prices)[0] })
  const [odd] = wish.find(([, said]) => said !== undefined) ?? []
  return odd === undefined ? undefined : [odd, 'it belongs to openapi, which is not there']
}

export const operationForm = operation

export type SellForm = z.output<typeof form>
export type OperationForm = z.output<typeof operation>
export type FieldForm = z.output<typeof field>
export type HttpForm = z.output<typeof fromHttp>
export type ModuleForm = z.output<typeof fromModule>
export type ViewForm = z.output<typeof fromView>
