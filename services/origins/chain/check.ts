/** Is a token what it seems? */
import { z } from 'zod'
import { chainCheckLookup } from '../../../pipelines/lookups/onchain.ts'
import { defineOperation } from '../../offer/operation.ts'
import { chainCheckExample } from './examples.ts'
import {
  chainAsked,
  chainOf,
  checked,
  found,
  readWith,
  seen,
  shownCheck,
  tokenAsked,
  tokenIn,
  tokenRefusals,
} from './shapes.ts'

export const chainCheck = defineOperation({
  id: 'chainCheck',
  path: '/chain/check',
  price: '0.004',
  inBrief:
    'Tries a token on a copy of the state, bought and sold: taxes, honeypots, owner powers, thin pools.',
  costs: 'costly',
  sold: 'Sold also without a pool, or where the node lets nothing be tried: a warning says so.',
  title: 'A token, checked',
  about:
    'Checks a token: its price, the depth of its deepest pool, and a purchase and a sale that are tried on a copy of the state, so taxes and honeypots show. Warnings name their evidence: powers of the owner, proxies, names that copy a known token, thin or young pools. Facts, no score.',
  tags: ['blockchain', 'token', 'risk', 'honeypot', 'tax'],
  request: z.strictObject({ token: tokenAsked, chain: chainAsked }),
  response: z.strictObject({ ...seen, ...checked }),
  refusals: tokenRefusals,
  example: chainCheckExample,
  async answer({ chain: name, token: given }, { find }, refuse) {
    const chain = chainOf(name, refuse)
    const token = tokenIn(chain, given, refuse)
    return shownCheck(found(await readWith(find, chainCheckLookup, { chain, token }), refuse))
  },
})
