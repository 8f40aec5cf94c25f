/** A payment that nobody can read may have been taken all the same. So nobody says that nothing was charged. */
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { paymentKey } from '../../../services/query/mcp/payment.ts'
import { header, type Signed, signed } from '../till/paying.ts'
import { message } from './mcp/message.ts'
import { openSelling } from './selling.ts'

interface Sent {
  port: number
  path?: string
  values: string[]
}

const send = ({ port, path = '/echo', values }: Sent) =>
  new Promise<{ status: number; body: Record<string, unknown> }>(resolve => {
    const headers = { 'content-type': 'application/json', 'payment-signature': values as never }
    const sending = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, async response => {
      const body = JSON.parse((await response.toArray()).join(''))
      resolve({ status: response.statusCode ?? 0, body })
    })
    sending.end('{}')
  })

const mangled: [string, (payment: Signed) => string[]][] = [
  ['in two headers', payment => [header(payment), header(payment)]],
  ['in quotes', payment => [`"${header(payment)}"`]],
  ['padded above 8 KB', payment => [`${header(payment)}${'A'.repeat(9000)}`]],
  ['in the letters of base64url', payment => [`${header(payment)}-_`]],
]

it.each(mangled)('a taken payment %s is not told that nothing was charged', async (_, as) => {
  const { port, pay } = await openSelling()
  const payment = await signed()
  expect((await pay(payment)).status).toBe(200)
  for (const path of ['/echo', '/nowhere']) {
    const { body } = await send({ port, path, values: as(payment) })
    expect(body).toMatchObject({ charged: null, message: expect.not.stringContaining('Nothing was charged') })
  }
})

it('nor is it over MCP', async () => {
  const { ask, pay } = await openSelling({ freeCallsADay: 10 })
  const payment = await signed()
  expect((await pay(payment)).status).toBe(200)
  const sent = JSON.stringify(message(1, 'echo', {}, { [paymentKey]: `x${header(payment)}` }))
  const text = await (await ask({ path: '/mcp', body: sent })).text()
  expect(text).toContain('invalid_payment_header')
  expect(text).not.toContain('Nothing was charged')
})

it('what is too short to be a payment was none', async () => {
  const { port } = await openSelling()
  expect((await send({ port, values: ['***'] })).body).toMatchObject({ charged: false })
})
