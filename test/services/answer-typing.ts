/** Answers that must compile, and answers that must not. Only `npm run check` reads this file. */
import { z } from 'zod'
import { exact } from '../../schemas/values/values.ts'
import { number, Serialised } from '../../services/offer/answer.ts'
import { defineFree, defineOperation, type Held } from '../../services/offer/operation.ts'

const base = {
  id: 'typed',
  path: '/typed',
  title: 'Typed',
  about: 'Typed',
  tags: [],
  price: '0.002',
  costs: 'held',
  request: z.strictObject({ many: z.int() }),
  response: z.strictObject({
    name: z.string(),
    note: z.string().optional(),
    rate: exact(),
    state: z.enum(['open', 'shut']),
    place: z.strictObject({ city: z.string().nullable(), zip: z.string().optional() }).nullable(),
    rows: z.array(
      z.strictObject({ host: z.string(), price: exact().nullable(), tag: z.string().optional() }),
    ),
    by: z.record(z.string(), exact()),
  }),
  refusals: { none: { status: 422, about: 'None' } },
  example: {
    request: { many: 1 },
    response: { name: '', rate: 1, state: 'open', place: null, rows: [], by: {} },
  },
} as const
const rate = number('1.50')
const good = { name: 'a', rate, state: 'open' as const, place: null, rows: [], by: { any: rate } }
const hosts: readonly string[] = ['a', 'b']
const held = undefined as unknown as Held<{ host: string }>
const one = hosts.length > 1
const misspelt = hosts.map(host => ({ host, price: null, tga: 'b' }))
const rounded = hosts.map(host => ({ host, price: host.length }))

// Right answers compile: in place, from elsewhere, behind a condition, in a list, awaited, serialised.
defineOperation({
  ...base,
  answer: ({ many }, { now }, refuse) => (many > now() ? refuse('none', '') : good),
})
defineOperation({
  ...base,
  answer: async () => ({ ...good, state: 'shut', note: 'b', place: { city: null } }),
})
defineOperation({
  ...base,
  answer: () => ({ ...good, ...(one ? { note: 'b' } : {}), ...(one && { note: 'b' }) }),
})
defineOperation({
  ...base,
  answer: () => ({ ...good, rows: hosts.map(host => ({ host, price: null, tag: 'b' })) }),
})
defineOperation({ ...base, answer: () => new Serialised(good) })
defineOperation({ ...base, answer: async () => held.once('all', () => ({ value: new Serialised(good) })) })
defineFree({ ...base, method: 'GET', perMinute: 1, answer: () => good })
defineOperation({ ...base, answer: () => ({ ...good, state: 'shut', rows: [{ host: 'a', price: null }] }) })

// The code is not declared.
// @ts-expect-error
defineOperation({ ...base, answer: (_question, _tools, refuse) => refuse('other', '') })

// A field is missing.
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ name: 'a', rate, state: 'open', place: null, rows: [] }) })
// @ts-expect-error
defineOperation({ ...base, answer: async () => ({ ...good, rows: hosts.map(host => ({ host })) }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => new Serialised({ ...good, place: {} }) })
// @ts-expect-error
defineFree({ ...base, method: 'GET', perMinute: 1, answer: () => ({ ...good, name: undefined }) })

// A field is misspelt, an optional one too.
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, nmae: 'a' }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, noet: 'a' }) })
// @ts-expect-error
defineOperation({ ...base, answer: async () => ({ ...good, noet: 'a' }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, place: { city: null, zpi: 'a' } }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, place: one ? { city: 'a', zpi: 'a' } : null }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, rows: misspelt }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, rows: [{ host: 'a', price: null, tga: 'b' }] }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, ...(one ? { noet: 'b' } : {}) }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, ...(one && { noet: 'b' }) }) })
defineOperation({
  ...base,
  // @ts-expect-error
  answer: () => ({ ...good, rows: hosts.map(host => ({ host, price: null, ...(one && { tga: 'b' }) })) }),
})
// @ts-expect-error
defineOperation({ ...base, answer: () => (one ? good : { ...good, noet: 'b' }) })
// @ts-expect-error
defineFree({ ...base, method: 'GET', perMinute: 1, answer: () => ({ ...good, noet: 'a' }) })

// A serialised value keeps its type.
// @ts-expect-error
defineOperation({ ...base, answer: () => new Serialised({ ...good, noet: 'a' }) })
// @ts-expect-error
defineOperation({ ...base, answer: async () => new Serialised({ ...good, rate: 'a' }) })
defineOperation({
  ...base,
  // @ts-expect-error
  answer: () => held.once('all', () => ({ value: new Serialised({ ...good, noet: 'a' }) })),
})
// @ts-expect-error
defineOperation({ ...base, answer: () => new Serialised({}) })
// @ts-expect-error
defineOperation({ ...base, answer: () => new Serialised<object>(good) })

// An exact number needs its digits.
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, rate: 1.5 }) })
// @ts-expect-error
defineOperation({ ...base, answer: async () => ({ ...good, rate: 0.1 + 0.2 }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, rows: rounded }) })
// @ts-expect-error
defineOperation({ ...base, answer: () => ({ ...good, by: { any: 1 } }) })

// An example is an answer too, but with plain numbers, as a caller reads it.
// @ts-expect-error
defineOperation({ ...base, example: { ...base.example, response: { name: 'a' } }, answer: () => good })
