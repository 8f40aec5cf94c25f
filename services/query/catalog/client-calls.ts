/** What a typed client knows of a call: from the operations themselves, or from the document of a seller that runs. */
import type { OpenOrigin } from '../../offer/origin.ts'
import { offeredBy } from './offered.ts'
import { toldSchema } from './schemas.ts'
import type { Schema } from './type-text.ts'

export interface ClientCall {
  method: 'GET' | 'POST'
  path: string
  title: string
  about: string
  /** Absent: it is free. */
  price?: string
  question: Schema
  /** Without the receipt. */
  answer: Schema
  /** Its own codes. */
  refusals: Readonly<Record<string, { about: string }>>
}

export const clientCalls = (origins: readonly OpenOrigin[]): ClientCall[] =>
  offeredBy(origins).map(offered => {
    const { method, path, title, about, price, refusals } = offered
    return {
      ...{ method, path, title, about, refusals },
      ...(price && { price }),
      question: toldSchema(offered, 'request'),
      answer: toldSchema(offered, 'response'),
    }
  })
