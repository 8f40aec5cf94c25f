import { expect, it } from 'vitest'
import { readEvent } from '../../schemas/dataset/dataset.ts'
import { settlements } from '../../schemas/settlements.ts'

const hash = 'a'.repeat(64)
const at = '2026-11-20T10:00:00.000Z'
/** As in the log when there was only one origin, which no event named. */
const settlement = {
  spend_id: hash,
  state: 'settled',
  at,
  request_id: 'request-1',
  operation: 'exchangeRate',
  network: 'base',
  amount_usdc: '0.002',
  payer: '0x1',
  pay_to: '0x2',
  payment_tx: '0x3',
  question_sha256: hash,
  answer_sha256: hash,
  resolved: false,
  reason: null,
}
it('a settlement of the first releases has no origin and no place of its transfer', () => {
  expect(readEvent(settlements, JSON.stringify(settlement)).event).toEqual({
    ...settlement,
    origin: 'data',
    payment_position: null,
  })
})
