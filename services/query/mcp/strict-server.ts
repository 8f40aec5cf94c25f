/** The SDK's server. It answers wrong parameters as the caller's fault; the SDK would call them an error of ours. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

type SetHandler = Server['setRequestHandler']

interface OfMethod {
  shape: { method: z.ZodLiteral<string> }
  safeParse(asked: unknown): { success: boolean; data?: never }
}

export class StrictServer extends Server {
  /** Gives the SDK a schema of the method only. The SDK's own constructor calls this, too. */
  override setRequestHandler(...[schema, handler]: Parameters<SetHandler>): void {
    const { shape, safeParse } = schema as unknown as OfMethod
    super.setRequestHandler(z.looseObject({ method: shape.method }), (asked, extra) => {
      const { data, success } = safeParse(asked)
      if (!success) throw new McpError(ErrorCode.InvalidParams, 'The parameters are wrong')
      return handler(data as never, extra)
    })
  }
}
