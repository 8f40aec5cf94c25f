/** Registers a free route. It sees no till, and counts callers at the route's own rate. */
import { metrics } from '../../pipelines/rails/metrics.ts'
import { forSale } from '../../pipelines/rails/outside/calls.ts'
import type { FreeRoute } from '../offer/operation.ts'
import type { OpenOrigin } from '../offer/origin.ts'
import { policyOf } from '../offer/rate.ts'
import { answerOf, bodyOf, questionOf } from './answers.ts'
import { failureOf, json, ofBody } from './call-failures.ts'
import { callerOf } from './callers.ts'
import { wayOf } from './door/door.ts'
import type { App } from './http.ts'
import type { Counter } from './purchase.ts'

export function give(app: App, { name }: OpenOrigin, route: FreeRoute, counter: Counter): void {
  const labels = { origin: name, operation: route.id }
  const callers = counter.callers.at(route.path, route.perMinute)
  const policy = policyOf(callers.rate)
  const { answerUnread } = route
  app.route({
    method: methodsOf(route),
    url: route.path,
    ...(route.maxBodyBytes !== undefined && { bodyLimit: route.maxBodyBytes }),
    onRequest: (request, reply, done) => {
      reply.header('ratelimit-policy', policy).header('ratelimit', callers.admit(callerOf(request)))
      done()
    },
    errorHandler: (error, request, reply) => {
      const { code, status } = failureOf(ofBody(error, request))
      metrics.freeCalls.inc({ ...labels, status })
      const way = wayOf(request.raw, undefined)
      counter.door.refuse(labels, way, { code, status, tookMs: reply.elapsedTime })
      throw error
    },
    ...(answerUnread && { config: { isUnread: true } }),
    handler: async (request, reply) => {
      const question = answerUnread
        ? (request.body ?? '')
        : questionOf(route, route.method === 'GET' ? request.query : bodyOf(request))
      const answer = await forSale(labels, () =>
        answerOf({ ...route, answer: answerUnread ?? route.answer }, question, {
          ...counter,
          caller: callerOf(request),
        }),
      )
      metrics.freeCalls.inc({ ...labels, status: 200 })
      const way = wayOf(request.raw, undefined)
      counter.door.count(labels, way, { outcome: 'free', tookMs: reply.elapsedTime })
      return reply.type(json).header('cache-control', 'no-cache').send(answer)
    },
  })
}

export const methodsOf = ({ method }: Pick<FreeRoute, 'method'>): string[] =>
  method === 'GET' ? ['GET', 'HEAD'] : ['POST']
