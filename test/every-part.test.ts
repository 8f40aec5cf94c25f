/** Every part stands in the list that the program uses, and has its tests. Nothing is found by its text. */
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { rates, upstreams } from '../pipelines/index.ts'
import { readOnlyVariables } from '../schemas/tables/chains.ts'
import {
  canaryKeyVariables,
  facilitatorVariables,
  payToVariables,
  refundKeyVariables,
  rpcVariables,
  settleKeyVariables,
} from '../schemas/tables/networks.ts'
import { environmentOf } from '../services/config/environment.ts'
import { origins } from '../services/origins/index.ts'
import { catalogPages } from '../services/query/catalog/pages.ts'
import { healthPages } from '../services/roles/health.ts'
import { tokenVariables } from '../services/till/variables.ts'
import { alerts } from './deploy/queries.ts'
import { edges, files, importsOf, read, testFiles, testPieces } from './imports.ts'
import { homeOf, type KindName, kindNames, kinds, partsIn, placeOf, unlisted } from './parts.ts'

const tests = testFiles.map(file => ({ file, text: read(file), imports: importsOf(file) }))
const imported = new Set(tests.flatMap(({ imports }) => imports))
/** The tests, and the pieces that they share. */
const written = [
  ...tests,
  ...testPieces
    .filter(file => imported.has(file))
    .map(file => ({ file, text: read(file), imports: importsOf(file) })),
]
const isNamed = (word: string) => {
  const alone = new RegExp(`(?<![\\w-])${RegExp.escape(word)}(?![\\w-])`)
  return written.some(({ text }) => alone.test(text))
}

/** The tests that import the file of a part and, where there are other parts in it, name this one. */
function testsOf(kind: KindName, part: object) {
  const { file, name } = homeOf(kind, part) ?? {}
  const importing = written.filter(({ imports }) => file !== undefined && imports.includes(file))
  if (file === undefined || name === undefined || partsIn(file) === 1) return importing
  return importing.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text))
}

describe.each(kindNames)('%s', kind => {
  it('stand in their list', () => {
    expect(kinds[kind].listed.filter(part => !kinds[kind].is(part as never))).toEqual([])
    expect(unlisted(kind)).toEqual([])
  })
})

// The others are tested as lists: the store lays every dataset, a sandbox sells for every origin.
it.each(['sources', 'lookups', 'workers', 'operations', 'free routes', 'pages'] as const)(
  '%s have their tests',
  kind => {
    const { listed } = kinds[kind]
    expect(listed.filter(part => testsOf(kind, part).length === 0).map(part => placeOf(kind, part))).toEqual(
      [],
    )
  },
)

const endpoints = (['operations', 'free routes'] as const).flatMap(kind =>
  kinds[kind].listed.map(part => [part.path, kind, part] as const),
)

it.each(endpoints)('%s: a test names each refusal', (_, kind, part) => {
  const told = testsOf(kind, part)
    .map(({ text }) => text)
    .join()
  expect(Object.keys(part.refusals).filter(code => !new RegExp(`\\b${code}\\b`).test(told))).toEqual([])
})

describe('what is no value of a file', () => {
  it('variables: a test names each', () => {
    // The others come from lists, and are tested as such.
    const others = [
      ...payToVariables,
      ...rpcVariables,
      ...settleKeyVariables,
      ...refundKeyVariables,
      ...canaryKeyVariables,
      ...facilitatorVariables,
      ...tokenVariables,
      ...readOnlyVariables,
    ] as string[]
    for (const { address } of origins) others.push(address)
    for (const { variable } of [...upstreams, ...rates]) others.push(variable)
    const own = Object.keys(environmentOf(origins).shape).filter(name => !others.includes(name))
    expect(own).toContain('PORT')
    expect(own.filter(name => !isNamed(name))).toEqual([])
  })

  it('pages of every host: a test asks for each', () => {
    const options = { contact: '', paidOn: '', requestsAMinute: 1, mcpUrl: '' }
    const pages = [...catalogPages(options), ...healthPages({} as never)]
    expect(pages.map(({ path }) => path).filter(path => !isNamed(path.replace('*', '')))).toEqual([])
  })

  // All of them rest in the history of a quiet day.
  it('alerts: each fires in a history', () => {
    const histories = ['alerts.yaml', 'alerts-of-days.yaml'].flatMap(
      name => (parse(read(`test/deploy/${name}`)) as { tests: History[] }).tests,
    )
    const fired = histories
      .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
      .filter(({ exp_alerts }) => exp_alerts.length > 0)
      .map(({ alertname }) => alertname)
    expect(alerts.map(({ alert }) => alert).filter(name => !fired.includes(name))).toEqual([])
  })

  it('files: each is asked for by another, or begins a program', () => {
    const asked = new Set(edges.map(({ to }) => to))
    const texts = [read('package.json'), ...files.map(read)].join('\n')
    // The client's package names its own; examples stand in documents and files; a contract is built by hand.
    const isElsewhere = /^services\/(client|sandbox\/contracts|sell\/examples)\//
    /** By a script, or by the path of a program or a thread. */
    const isBegun = (file: string) =>
      isElsewhere.test(file) || new RegExp(`( ${file}[ "]|['/]${basename(file)}')`).test(texts)
    expect(files.filter(file => !/\.d\.ts$/.test(file) && !asked.has(file) && !isBegun(file))).toEqual([])
  })
})

interface History {
  alert_rule_test?: { alertname: string; exp_alerts: object[] }[]
}
