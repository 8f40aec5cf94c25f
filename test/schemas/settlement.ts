/** A settlement event of the tests' own. */
import type { SettlementEvent } from '../../schemas/settlements.ts'

export const hashOf = (name: string) => Buffer.from(name.padEnd(32, '.')).toString('hex').slice(0, 64)

export const settlement = (spend: string, given: Partial<SettlementEvent> = {}): SettlementEvent => ({
  spend_id: hashOf(spend),
  state: 'settled',
  at: '2026-11-20T10:00:00.000Z',
  request_id: 'request-1',
  origin: 'data',
  operation: 'exchangeRate',
  network: 'base',
  amount_usdc: '0.002',
  payer: '0x1',
  pay_to: '0x2',
  payment_tx: '0x3',
  payment_position: null,
  question_sha256: hashOf('question'),
  answer_sha256: hashOf('answer'),
  resolved: false,
  reason: null,
  ...given,
})

export const entryOf = (event: SettlementEvent) => ({ key: event.spend_id, value: JSON.stringify(event) })
