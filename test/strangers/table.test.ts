/** services/config/strangers.ts is whole and true. */
import { maxHeaderSize } from 'node:http'
import { describe, expect, it } from 'vitest'
import { own, places } from '../../services/config/strangers.ts'
import { others } from '../growth/others.ts'
import { readers } from '../growth/readers.ts'
import { files, read } from '../imports.ts'
import { isNode, type Node, treeOf, within } from '../syntax.ts'
import { measured } from './measured.ts'

/** Packages that read a format, and names of calls that do. */
const packages =
  /^(saxes|yaml|yauzl|tar|htmlparser2|linkedom|@mozilla\/readability|@hyzyla\/pdfium|jsonrepair|maxmind|entities\/decode)$/
const calls =
  /^(readStrictJson|deserialize|gunzip(Sync)?|inflate(Sync)?|zstdDecompress|brotliDecompress|create(Gunzip|Inflate|Unzip|(Brotli|Zstd)Decompress)|createPublicKey|X509Certificate|TextDecoder|decode(AbiParameters|EventLog|FunctionResult)|parseEventLogs|decodeURI(Component)?|atob|json)$/

const nameOf = (node: unknown): string => (isNode(node) ? String(node.name ?? '') : '')

/** Whether this piece of code takes bytes apart that it was given. */
function reads(node: Node): boolean {
  if (node.type === 'ImportDeclaration')
    return isNode(node.source) && packages.test(String(node.source.value))
  if (node.type === 'MemberExpression')
    return nameOf(node.object) === 'JSON' && nameOf(node.property) === 'parse'
  if (!/^(Call|New)Expression$/.test(node.type) || !isNode(node.callee)) return false
  const { callee } = node
  if (calls.test(nameOf(callee) || nameOf(callee.property))) return true
  const [given, form] = node.arguments as Node[]
  const isText = nameOf(callee.object) === 'Buffer' && nameOf(callee.property) === 'from'
  return isText && given?.type !== 'Literal' && /^(base64|base64url|hex)$/.test(String(form?.value))
}

const apart = /^(services\/(sandbox|client)|pipelines\/samples)\//
const reading = files.filter(file => !apart.test(file) && [...within(treeOf(read(file)))].some(reads))

const arithmetic: Record<string, (a: number, b: number) => number> = {
  '*': (a, b) => a * b,
  '**': (a, b) => a ** b,
  '<<': (a, b) => a << b,
  '+': (a, b) => a + b,
}

function numberIn(node: unknown): number {
  if (!isNode(node)) return Number.NaN
  if (node.type === 'BinaryExpression')
    return arithmetic[String(node.operator)]?.(numberIn(node.left), numberIn(node.right)) ?? Number.NaN
  return node.type === 'Literal' ? Number(node.value) : Number.NaN
}

/** The first number that has the name, as a constant or as a property. */
function constantIn(file: string, name: string): number | undefined {
  for (const node of within(treeOf(read(file)))) {
    const value = nameOf(node.id) === name ? node.init : nameOf(node.key) === name ? node.value : undefined
    const number = numberIn(value)
    if (!Number.isNaN(number)) return number
  }
  return undefined
}

describe('the table of strangers’ bytes', () => {
  it('names every file that reads some', () => {
    const named = [...places.flatMap(({ files }) => files), ...Object.keys(own)]
    expect(reading.filter(file => !named.includes(file))).toEqual([])
    expect(named.filter(file => !reading.includes(file))).toEqual([])
    expect(named.filter((file, i) => named.indexOf(file) !== i)).toEqual([])
  })

  it.each(places)('tells the bound of $what', ({ mostBytes, bound: [file, constant] }) => {
    expect(file === 'node:http' ? maxHeaderSize : constantIn(file, constant)).toBe(mostBytes)
  })

  it('has nothing large read in one go by the process that loads, which may sell too', () => {
    const most = places.find(({ what }) => what === 'JSON of an upstream')?.mostBytes ?? 0
    const large = places.filter(
      ({ reader, steps, mostBytes }) =>
        reader === 'the process that loads' && /in one go/.test(steps) && mostBytes > most,
    )
    expect(large.map(({ what }) => what)).toEqual([])
  })

  it('has each of them measured, or says why not', () => {
    expect(Object.keys(measured).sort()).toEqual(places.map(({ what }) => what).sort())
    const names = Object.values(measured).flatMap(by => (typeof by === 'string' ? [] : by))
    expect(names.filter(name => !others[name] && !readers[name])).toEqual([])
  })
})
