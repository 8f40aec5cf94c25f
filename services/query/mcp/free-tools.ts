/** Free routes that are tools as well. Each counts its callers at its own rate. */
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { forSale } from '../../../pipelines/rails/outside/calls.ts'
import { errorBody } from '../../offer/errors.ts'
import type { FreeRoute } from '../../offer/operation.ts'
import type { OpenOrigin } from '../../offer/origin.ts'
import { answerOf, questionOf } from '../answers.ts'
import { failureOf } from '../call-failures.ts'
import { jsonSchema } from '../catalog/schemas.ts'
import type { Counter } from '../purchase.ts'
import { questionSchema } from './brief.ts'
import { type Caller, wayBy } from './call.ts'
import { told } from './results.ts'
import { briefly } from './tools.ts'

interface FreeTool {
  /** The name of its origin. */
  origin: string
  tool: Tool
  call(given: Record<string, unknown>, caller: Caller): Promise<CallToolResult>
}

export const freeTools = (origins: readonly OpenOrigin[], counter: Counter): FreeTool[] =>
  origins.flatMap(origin =>
    origin.free.flatMap(route => (route.tool ? freeTool(route.tool, route, origin, counter) : [])),
  )

function freeTool(name: string, route: FreeRoute, origin: OpenOrigin, counter: Counter): FreeTool {
  const { request, id, perMinute } = route
  const callers = counter.callers.at(`tool ${name}`, perMinute)
  const labels = { origin: origin.name, operation: id }
  return {
    origin: origin.name,
    tool: {
      name,
      description: `${briefly(route)} Free.`,
      inputSchema: { ...questionSchema(jsonSchema(request, 'input')), type: 'object' } as Tool['inputSchema'],
      annotations: { readOnlyHint: true },
    },
    async call(given, caller) {
      const { name: asking } = caller
      const counted = counter.door.begin(labels, () => wayBy('mcp', caller, undefined))
      try {
        callers.admit(asking)
        const question = questionOf(route, given)
        const answer = await forSale(labels, () => answerOf(route, question, { ...counter, caller: asking }))
        metrics.freeCalls.inc({ ...labels, status: 200 })
        counted.count('free')
        return told(answer)
      } catch (error) {
        const failure = failureOf(error)
        const { code, status, message, charged } = failure
        counted.refuse(failure)
        if (code === 'internal_error') throw error
        metrics.freeCalls.inc({ ...labels, status })
        return { ...told(JSON.stringify(errorBody(code, message, charged))), isError: true }
      }
    },
  }
}
