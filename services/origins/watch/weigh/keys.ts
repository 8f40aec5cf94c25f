/** Free: the public keys that sign webhooks. */
import { z } from 'zod'
import { defineFree } from '../../../offer/operation.ts'
import { deskOf } from '../desk.ts'
import { text } from './endpoint.ts'

const how =
  'Standard Webhooks 1.0.0: webhook-signature holds v1 (HMAC-SHA256 by the secret of the subscription) and v1a (ed25519 by this key), over webhook-id.webhook-timestamp.body. webhook-id is the same in every attempt.'

export const weighKeys = defineFree({
  id: 'weighKeys',
  path: '/weigh/keys',
  method: 'GET',
  perMinute: 120,
  title: 'The keys that sign webhooks',
  about:
    'The public key (ed25519) that signs every webhook beside its own secret, and those that have signed before.',
  tags: ['webhook', 'signature'],
  request: z.strictObject({}),
  response: z.strictObject({
    keys: z.array(z.strictObject({ public_key: text, signs_now: z.boolean() })),
    how: text,
  }),
  refusals: {},
  example: {
    request: {},
    response: {
      keys: [{ public_key: 'whpk_1scCvrMOMBPu2dyLyBNQ9u2XcLlWuBOSSjBJf2JyqPQ=', signs_now: true }],
      how,
    },
  },
  answer: (_question, tools) => ({
    keys: deskOf(tools).seal.publicKeys.map((public_key, nth) => ({ public_key, signs_now: nth === 0 })),
    how,
  }),
})
