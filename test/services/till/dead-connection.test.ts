/** A large answer on its way to a connection that has died: its payer gets it over another one, at once. */
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'
import { openSelling } from '../query/selling.ts'
import { echo, header, signed } from './paying.ts'

/** More than the buffers of any kernel. */
const long = 16 << 20
const large: Operation = defineOperation({
  ...echo,
  id: 'largeOnce',
  path: '/large',
  answer: () => ({ said: 'x'.repeat(long) }),
})

it.each([
  ['its payment', {}],
  ['its key', { 'Idempotency-Key': 'some-long-key-1' }],
])('%s gets it again', async (_, headers) => {
  const { port, pay, till } = await openSelling({ operations: [large], checkAnswers: false })
  const payment = await signed()
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const lines = ['POST /large HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Content-Length: 2']
  const more = Object.entries({ ...headers, 'PAYMENT-SIGNATURE': header(payment) })
  socket.write(`${[...lines, ...more.map(each => each.join(': '))].join('\r\n')}\r\n\r\n{}`)
  // It reads the beginning, and then nothing more.
  await new Promise(resolve => socket.once('data', resolve))
  socket.pause()
  expect(till.owes(till.decode(header(payment)))).toBe(true)
  const again = await pay(payment, { path: '/large', headers })
  expect(again.status).toBe(200)
  expect((await again.arrayBuffer()).byteLength).toBeGreaterThan(long)
})
