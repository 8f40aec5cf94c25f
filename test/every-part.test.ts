/** Every source, lookup, operation and refusal has its test. The tests of a part are those that import its file. */
import { expect, it } from 'vitest'
import { origins } from '../services/origins/index.ts'
import { files, importsOf, read, testFiles } from './imports.ts'

const testsOf = (file: string) => testFiles.filter(test => importsOf(test).includes(file))
const declaring = (room: RegExp, declaration: RegExp) =>
  files.filter(file => room.test(file) && declaration.test(read(file)))

it.each([
  ['sources', declaring(/^pipelines\/sources\/(?!source\.ts)/, /^ +schedule: /m)],
  ['lookups', declaring(/^pipelines\/lookups\/[a-z-]+\.ts$/, /^export const \w+: Lookup</m)],
  ['operations', declaring(/^services\/origins\//, /^export const \w+ = defineOperation\(/m)],
])('%s have their tests', (_, parts) => {
  expect(parts).not.toEqual([])
  expect(parts.filter(part => testsOf(part).length === 0)).toEqual([])
})

const endpoints = origins.flatMap(({ operations, free }) => [...operations, ...free])

it.each(endpoints.map(endpoint => [endpoint.path, endpoint] as const))(
  '%s: a test names each refusal',
  (path, { refusals }) => {
    const home = declaring(/^services\/origins\//, new RegExp(`^ +path: '${path}'`, 'm'))
    expect(home).toHaveLength(1)
    const told = testsOf(home[0] as string)
      .map(read)
      .join()
    expect(Object.keys(refusals).filter(code => !new RegExp(`\\b${code}\\b`).test(told))).toEqual([])
  },
)
