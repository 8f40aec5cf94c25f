import { expect, test } from 'vitest'
import { withItsDigits } from '../../../services/offer/answer.ts'

test('an answer that is read and printed again has the digits of its numbers', () => {
  for (const json of [
    '{"converted":1817260499999998.1827,"rate":1.1684}',
    '[0.10,1e400,-0,12345678901234567890]',
  ])
    expect(JSON.stringify(withItsDigits(json))).toBe(json)
  expect(withItsDigits('{"rate":1.1684,"days":[1,null,"0.10"]}')).toEqual({
    rate: 1.1684,
    days: [1, null, '0.10'],
  })
})
