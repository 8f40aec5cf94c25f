import { expect, it } from 'vitest'
import { hostsOnly } from '../../../services/config/hosts-only.ts'

it.each([
  ['URL: https://base.node.example/v2/a-secret-key', 'URL: https://base.node.example'],
  ['{"msg":"at https://node.example:8545/?key=secret"}', '{"msg":"at https://node.example:8545"}'],
  ['https://user:secret@facilitator.example/settle, then', 'https://facilitator.example, then'],
  ['wss://a.example/secret\\n    at x', 'wss://a.example\\n    at x'],
  [
    'tried http://127.0.0.1:9/secret and https://b.example/',
    'tried http://127.0.0.1:9 and https://b.example',
  ],
  ['no address: 10/20 and a@b', 'no address: 10/20 and a@b'],
])('%s', (line, shown) => {
  expect(hostsOnly(line)).toBe(shown)
})
