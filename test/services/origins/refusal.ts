/** Returns a refusal in the caller's form. */
import { expect } from 'vitest'
import type { z } from 'zod'
import { errorBody, Refused } from '../../../services/offer/errors.ts'
import type { Endpoint } from '../../../services/offer/operation.ts'
import { type Asking, ask } from './ask.ts'

export const refusal = <Request extends z.ZodType, Response extends z.ZodType, Codes extends string>(
  endpoint: Endpoint<Request, Response, Codes>,
  body: unknown,
  asking: Asking,
) =>
  ask(endpoint, body, asking).then(
    answer => expect.unreachable(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Refused)
      const { code, status, message } = error as Refused
      return { status, ...errorBody(code, message) }
    },
  )
