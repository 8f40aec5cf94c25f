import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { expect, it } from 'vitest'
import { marketMethod } from '../../../../../services/origins/data/market/market-method.ts'
import { Shelf } from '../../../../../services/query/shelf.ts'
import { ask } from '../../ask.ts'

it('a buyer can compute the hash of the rules from the rules', async () => {
  const { thresholds, rank, best, labels, sha256 } = await ask(
    marketMethod,
    {},
    { shelf: new Shelf(Date.now), now: Date.now },
  )
  const rules = canonicalize({ rules: thresholds, rank, best, labels }) as string
  expect(createHash('sha256').update(rules).digest('hex')).toBe(sha256)
})
