import { expect, it } from 'vitest'
import { compile } from '../../../services/sandbox/contracts/build.ts'
import bytecode from '../../../services/sandbox/contracts/bytecode.json' with { type: 'json' }

it('is the bytecode of the sources beside it', () => {
  expect(compile()).toEqual(bytecode)
})
