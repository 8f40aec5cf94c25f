/** The copy of a code that takes seconds for blocks. */
import { expect, it } from 'vitest'
import { withSecondsForBlocks } from '../../../../pipelines/domains/chain/evm/operations.ts'

it('replaces what asks for the number of a block, and no byte that is pushed', () => {
  // PUSH2 0x4343, NUMBER, PUSH1 0x43, NUMBER, STOP
  expect(withSecondsForBlocks('0x614343436043430000')).toBe('0x614343426043420000')
})

it('leaves a code alone that does not ask', () => {
  expect(withSecondsForBlocks('0x61434360434200')).toBeUndefined()
  expect(withSecondsForBlocks('0x')).toBeUndefined()
})
