/** Every part stands in its list, and has its tests: those that import its file. */
import { expect, it } from 'vitest'
import { origins } from '../services/origins/index.ts'
import { files, importsOf, read, testFiles } from './imports.ts'

const testsOf = (file: string) => testFiles.filter(test => importsOf(test).includes(file))
const declaring = (room: RegExp, declaration: RegExp) =>
  files.filter(file => room.test(file) && declaration.test(read(file)))

const datasets = declaring(/^schemas\//, /^export const \w+ = defineDataset\(/m)
const sources = declaring(/^pipelines\/sources\/(?!source\.ts)/, /^ +schedule: /m)
const lookups = declaring(/^pipelines\/lookups\/[a-z-]+\.ts$/, /^export const \w+: Lookup</m)
const operations = declaring(/^services\/origins\//, /^export const \w+ = define(Operation|Free)\(/m)
const homes = declaring(/^services\/origins\//, /^export const \w+ = defineOrigin\(/m)

it.each([
  ['sources', sources],
  ['lookups', lookups],
  ['operations', operations],
])('%s have their tests', (_, parts) => {
  expect(parts).not.toEqual([])
  expect(parts.filter(part => testsOf(part).length === 0)).toEqual([])
})

/** A file that the list imports, or one of a folder beside it that such a file imports. */
const inList = (list: string, depth = 2): string[] =>
  depth === 0
    ? []
    : importsOf(list).flatMap(file => [file, ...(files.includes(file) ? inList(file, depth - 1) : [])])

it.each([
  ['datasets', datasets, ['schemas/index.ts'], 1],
  // Payments are read per network: nothing lists them.
  ['sources', sources, ['pipelines/sources/index.ts', 'pipelines/polling.ts'], 2],
  ['lookups', lookups, ['pipelines/lookups/index.ts'], 1],
  ['operations', operations, homes, 1],
  ['origins', homes, ['services/origins/index.ts'], 1],
] as const)('%s stand in their list', (_, parts, lists, depth) => {
  const listed = lists.flatMap(list => inList(list, depth))
  expect(parts.filter(part => !listed.includes(part))).toEqual([])
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
