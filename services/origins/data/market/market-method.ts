/** By which rules is the market judged? */
import { z } from 'zod'
import { method } from '../../../../pipelines/domains/market/method.ts'
import { defineFree } from '../../../offer/operation.ts'

const text = z.string()

export const marketMethod = defineFree({
  id: 'x402MarketMethod',
  path: '/market/method',
  method: 'GET',
  perMinute: 60,
  title: 'How the market is judged',
  about:
    'The rules behind the market operations: what is counted and what is left out, how sellers are ranked, what each label means, every threshold, and a hash of them all. The operator also sells tools: they are ranked by the same rules.',
  tags: ['x402', 'market', 'method'],
  request: z.strictObject({}),
  response: z.strictObject({
    version: text,
    sha256: text.describe('Of rules, ranking and labels: it changes when they do'),
    witnesses: z.record(text, text),
    numbers: z.record(text, text),
    rank: text,
    best: text,
    left_out: z.array(text),
    labels: z.array(z.strictObject({ code: text, witness: text, severity: text, about: text })),
    not_seen: z.array(text),
    thresholds: z.record(text, z.union([text, z.number(), z.record(text, z.number())])),
    disclosure: text,
    disclaimer: text,
  }),
  refusals: {},
  example: { request: {}, response: method },
  answer: () => method,
})
