import { expect, it } from 'vitest'
import { openapi } from '../../../services/query/catalog/openapi.ts'
import { originOf } from '../an-origin.ts'
import { echo } from '../till/paying.ts'

it('openapi.json declares the headers of a paid call, and calls no refusal free where a payment may be charged', () => {
  const options = { contact: 'a@example.com', paidOn: 'Base', requestsAMinute: 60, mcpUrl: 'http://x/mcp' }
  const { post } = openapi([originOf([echo])], options).paths['/echo'] ?? {}
  const headers = post?.parameters?.map(({ name }) => name)
  expect(headers).toEqual(['PAYMENT-SIGNATURE', 'Idempotency-Key', 'SIGN-IN-WITH-X'])
  expect(JSON.stringify(post?.parameters)).toMatch(/payment-identifier.*idempotency_conflict/)
  for (const status of [400, 409, 429, 503]) {
    const { description = '' } = post?.responses[status] ?? {}
    expect(description).toMatch(/`charged` says whether the payment/)
    expect(description).not.toContain('Free')
  }
})
