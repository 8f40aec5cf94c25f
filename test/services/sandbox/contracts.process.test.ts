import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { bytecodeOf, compile, rooms } from '../../../services/sandbox/contracts/build.ts'

it.each(rooms.map(room => [basename(bytecodeOf(room)), room] as const))(
  '%s is the bytecode of the sources beside it',
  (_, room) => {
    expect(compile(room)).toEqual(JSON.parse(readFileSync(bytecodeOf(room), 'utf8')))
  },
)
