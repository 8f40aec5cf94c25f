/** Bare Fastify: the limit of the framework itself with the same bytes. */
import Fastify from 'fastify'
import { path, serving } from './serving.ts'

// The parent passes the quote of Farebox, so that both send the same header and body.
process.once('message', async (quote: { header: string; body: string }) => {
  const app = Fastify()
  app.post(path, (_request, reply) =>
    reply
      .code(402)
      .headers({ 'payment-required': quote.header, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(quote.body),
  )
  serving(await app.listen({ port: 0 }))
})
