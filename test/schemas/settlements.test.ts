import { expect, it } from 'vitest'
import { readEvent } from '../../schemas/dataset.ts'
import { settlements } from '../../schemas/settlements.ts'
import { tillIntents } from '../../schemas/till-intents.ts'

const hash = 'a'.repeat(64)
const at = '2026-11-20T10:00:00.000Z'
/** As they stood in the log when there was one origin, which no event named. */
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
const intent = {
  intended_at: at,
  operation: 'exchangeRate',
  network: 'base',
  price_usdc: '0.002',
  payer: '0x1',
  pay_to: '0x2',
  fingerprint: hash,
  question_sha256: hash,
  answer_sha256: hash,
  keys: [],
  dead_at: at,
  answer: '{}',
}
const step = { by: 'p', spend_id: hash, request_id: 'r', step: 'intended', at, payment_tx: null, intent }

it('a settlement that names no origin is one of data', () => {
  expect(readEvent(settlements, JSON.stringify(settlement)).event).toEqual({ ...settlement, origin: 'data' })
})

const evmTrace = { network: 'eip155:1', from: '0x1', to: '0x2', value: '1', nonce: '0x3', valid_before: 4 }
const svmTrace = { network: 'solana:1', source: 's', message_sha256: hash, blockhash: 'b' }

it.each([
  ['base', evmTrace],
  ['solana', svmTrace],
])(
  'an intent that names no origin is one of data, and its chain %s is told by its network',
  (chain, trace) => {
    const written = { ...step, intent: { ...intent, trace: { chain, ...trace } } }
    expect(readEvent(tillIntents, JSON.stringify(written)).event).toEqual({
      ...step,
      intent: { ...intent, origin: 'data', trace },
    })
  },
)
