/** The parts of the program: those that its own lists hold, and those that its files declare. */

import { markets } from '../pipelines/domains/chain/evm/chains/index.ts'
import { upstreams } from '../pipelines/index.ts'
import { lookups } from '../pipelines/lookups/index.ts'
import { sources } from '../pipelines/sources/index.ts'
import { datasets } from '../schemas/index.ts'
import { marketViews } from '../schemas/market-views.ts'
import { origins as built, workersOf } from '../services/origins/index.ts'
import { withReceipts } from '../services/query/signing/routes.ts'
import { files } from './imports.ts'

type Value = Readonly<Record<string, unknown>>

/** What an exported value must have to be a part of the kind, and the parts that the program uses. */
interface Kind {
  is(value: Value): boolean
  listed: readonly object[]
  /** The file that makes those that no file exports. */
  maker?: string
}

const has =
  (...names: string[]) =>
  (value: Value) =>
    names.every(name => name in value)
const isEndpoint = has('id', 'path', 'request', 'response', 'refusals', 'answer')
const origins = withReceipts(built, { addresses: [] })

export const kinds = {
  datasets: { is: has('topic', 'identity', 'table', 'views'), listed: datasets },
  views: {
    is: value => has('name', 'key', 'columns', 'sql')(value) && !('topic' in value),
    listed: [...datasets.flatMap(({ views }) => views), ...marketViews],
  },
  sources: { is: has('schedule', 'pull'), listed: sources },
  upstreams: { is: has('variable', 'live', 'sample'), listed: upstreams },
  lookups: { is: has('timeoutMs', 'open'), listed: lookups },
  workers: { is: has('part', 'role', 'open'), listed: workersOf(built), maker: 'pipelines/workers/sink.ts' },
  chains: { is: has('wrapped', 'quotes', 'factories'), listed: Object.values(markets) },
  origins: { is: has('address', 'operations', 'free', 'pages'), listed: built },
  operations: {
    is: value => isEndpoint(value) && 'price' in value,
    listed: origins.flatMap(({ operations }) => operations),
  },
  'free routes': {
    is: value => isEndpoint(value) && 'perMinute' in value,
    listed: origins.flatMap(({ free }) => free),
    maker: 'services/query/signing/routes.ts',
  },
  pages: {
    is: value => has('path', 'answer')(value) && !('refusals' in value),
    listed: origins.flatMap(({ pages }) => pages),
  },
} as const satisfies Record<string, Kind>

export type KindName = keyof typeof kinds
export const kindNames = Object.keys(kinds) as KindName[]

export interface Home {
  file: string
  /** The name of the export. Undefined: the file makes the part. */
  name?: string
}

/** These begin to work when they are loaded. */
const isStarted = /(-thread|sqlite-writer|store\/engine)\.ts$/
/** A list exports the parts of others again. */
const isList = /\/(index|workers|upstreams)\.ts$/
const declaring = files.filter(
  file =>
    /^(schemas|pipelines|services\/origins)\//.test(file) && !/\.d\.ts$/.test(file) && !isStarted.test(file),
)

/** Every exported object, with the places that export it: those that export it alone before those that list it. */
const exported = new Map<object, Home[]>()
const places = await Promise.all(
  declaring.map(async file => {
    const exports = Object.entries((await import(`../${file}`)) as object)
    return exports.map(([name, value]) => ({ home: { file, name }, value: value as unknown }))
  }),
)
const inOrder = places
  .flat()
  .toSorted((a, b) => Number(Array.isArray(a.value)) - Number(Array.isArray(b.value)))
for (const { home, value } of inOrder)
  for (const part of Array.isArray(value) ? value : [value])
    if (typeof part === 'object' && part !== null) exported.set(part, [...(exported.get(part) ?? []), home])

export const homeOf = (kind: KindName, part: object): Home | undefined => {
  const [home] = exported.get(part) ?? []
  const { maker } = kinds[kind] as Kind
  return home && !isList.test(home.file) ? home : maker === undefined ? home : { file: maker }
}

const shown = ({ file, name }: Home) => `${file}: ${name ?? 'made there'}`
export const placeOf = (kind: KindName, part: object): string => {
  const home = homeOf(kind, part)
  return home ? shown(home) : 'nowhere'
}

/** The exported parts that the program does not know. */
export const unlisted = (kind: KindName): string[] => {
  const { is, listed } = kinds[kind] as Kind
  return [...exported]
    .filter(([part]) => is(part as Value) && !listed.includes(part))
    .map(([, [home]]) => shown(home as Home))
}

/** How many parts a file exports. Where it is one, a test that imports the file means this one. */
export const partsIn = (file: string): number =>
  [...exported].filter(
    ([part, homes]) =>
      homes.some(home => home.file === file) && kindNames.some(kind => kinds[kind].is(part as Value)),
  ).length
