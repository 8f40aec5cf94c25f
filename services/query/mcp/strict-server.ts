/** The server of the SDK. To wrong parameters it answers whose fault they are: the SDK would call them an error of ours. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

type SetHandler = Server['setRequestHandler']

interface OfMethod {
  shape: { method: z.ZodLiteral<string> }
  safeParse(asked: unknown): { success: boolean; data?: never }
}

export class StrictServer extends Server {
  /** The SDK hears of the method alone. Its own constructor comes this way too. */
  override setRequestHandler(...[schema, handler]: Parameters<SetHandler>): void {
    const { shape, safeParse } = schema as unknown as OfMethod
    super.setRequestHandler(z.looseObject({ method: shape.method }), (asked, extra) => {
      const { data, success } = safeParse(asked)
      if (!success) throw new McpError(ErrorCode.InvalidParams, 'The parameters are wrong')
      return handler(data as never, extra)
    })
  }
}
