import { expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { llms } from '../../../services/query/catalog/llms.ts'
import { openapi } from '../../../services/query/catalog/openapi.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'

type Responses = Record<string, { description?: string; $ref?: string }>

const options = { contact: 'a@example.com', paidOn: 'Base', requestsAMinute: 60, mcpUrl: 'http://x/mcp' }
const { paths, components } = openapi([originOf([echo])], options)
const at = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((held, name) => (held as Record<string, unknown>)[name], { components })
const resolved = <T extends object>(one: T): T => ('$ref' in one ? (at(String(one.$ref)) as T) : one)

it('openapi.json declares the headers of a paid call, and calls no refusal free where a payment may be charged', () => {
  const { post } = paths['/echo'] ?? {}
  const headers = (post?.parameters ?? []).map(resolved) as { name: string }[]
  expect(headers.map(({ name }) => name)).toEqual([
    'fields',
    'PAYMENT-SIGNATURE',
    'Idempotency-Key',
    'SIGN-IN-WITH-X',
  ])
  expect(JSON.stringify(headers)).toMatch(/payment-identifier.*idempotency_conflict/)
  for (const status of [400, 409, 429, 503]) {
    const { description = '' } = resolved((post?.responses as Responses | undefined)?.[status] ?? {})
    expect(description).toMatch(/`charged` says whether the payment/)
    expect(description).not.toContain('Free')
  }
})

it('what a status of ours and those of any call have in common is told once, and named at ours', () => {
  const own = {
    ...echo,
    refusals: {
      no_echo: { status: 422, about: 'There is none' },
      too_quiet: { status: 400, about: 'Shout' },
    },
  }
  const document = openapi([originOf([own as never])], options)
  const responses = document.paths['/echo']?.post?.responses as Responses
  expect(responses[422]?.description).toMatch(/^`no_echo`: There is none\. This call charges nothing/)
  expect(responses[400]?.description).toMatch(/^`too_quiet`: Shout\. Also `invalid_request`, .*This call/)
  expect(responses[503]).toEqual({ $ref: '#/components/responses/Paid503' })
  expect(resolved(responses[402] ?? {}).description).toContain('PAYMENT-REQUIRED')
})

it('tells how MPP pays where it is offered, and nothing of it elsewhere', () => {
  const origins = [originOf([echo])]
  const currency = networks.base.asset
  const offered = { ...options, mppCurrencies: [currency] }
  const document = openapi(origins, offered)
  expect(document.paths['/echo']?.post?.['x-payment-info']).toMatchObject({
    protocols: [{ x402: {} }, { mpp: { method: 'evm', intent: 'charge', currency } }],
    offers: [{ method: 'evm', intent: 'charge', amount: '2000', currency }],
  })
  for (const text of [JSON.stringify(document), llms(origins, offered)]) {
    expect(text).toContain('Authorization: Payment')
    expect(text).toContain('Payment-Receipt')
  }
  expect(llms(origins, options)).not.toContain('MPP')
  expect(paths['/echo']?.post?.['x-payment-info']).toEqual({
    price: { mode: 'fixed', currency: 'USD', amount: '0.002' },
    protocols: [{ x402: {} }],
  })
})
