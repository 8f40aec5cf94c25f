/** The sources and readers of each dataset, derived from the code: from the imports and uses of each part. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import { setImmediate as turn } from 'node:timers/promises'
import manifest from '../../package.json' with { type: 'json' }
import { lookups } from '../../pipelines/lookups/index.ts'
import { sources } from '../../pipelines/sources/index.ts'
import type { Dataset, View } from '../../schemas/dataset/dataset.ts'
import { datasets } from '../../schemas/index.ts'
import type { Operation } from '../offer/operation.ts'
import type { Origin } from '../offer/origin.ts'

export interface Line {
  dataset: Dataset
  sources: readonly string[]
  lookups: readonly string[]
  /** If no source or lookup brings it: the rooms of the code that know its topic. */
  rooms: readonly string[]
  /** The operations that read each view. */
  views: readonly { view: View; operations: readonly Operation[] }[]
  /** The operations that get its facts by a lookup only, without reading a view. */
  operations: readonly Operation[]
}

const root = new URL('../../', import.meta.url)

/** A file: the names that each declaration uses, and the home of every imported name. */
interface Unit {
  declared: ReadonlyMap<string, readonly string[]>
  imported: ReadonlyMap<string, string>
}

const importLine = /^(?:import|export) (?:\w+, )?\{([^}]*)\} from '(\.[^']+\.ts|farebox(?:\/\w+)?)'/gm
const declaration = /^(?:export )?(?:async )?(?:const|class|function\*?) (\w+)/gm

/** What this tree publishes as farebox lies in it, and is imported by that name. */
const published: Readonly<Record<string, string>> = manifest.exports
const homeOf = (from: string, file: string): string =>
  join(...(from.startsWith('.') ? [dirname(file), from] : [published[from.replace('farebox', '.')] ?? from]))

const units = new Map<string, Promise<Unit>>()

/** One file is read at a time, so that calls go on meanwhile. */
function unitOf(file: string): Promise<Unit> {
  const unit = units.get(file) ?? readUnit(file)
  units.set(file, unit)
  return unit
}

async function readUnit(file: string): Promise<Unit> {
  const text = await readFile(new URL(file, root), 'utf8')
  const imported = [...text.matchAll(importLine)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map(name => name.trim().split(' as '))
      .filter(([name = '']) => name !== '' && !name.startsWith('type '))
      .map(([name = '', here = name]) => [here, `${homeOf(from, file)}#${name}`] as const),
  )
  const starts = [...text.matchAll(declaration)]
  const declared = starts.map(({ 1: name = '', index }, at) => {
    const body = text.slice(index, starts[at + 1]?.index)
    return [name, [...new Set(body.match(/\b[A-Za-z_]\w*/g))]] as const
  })
  return { declared: new Map(declared), imported: new Map(imported) }
}

/** A place is `<file>#<name>`. */
const parted = (place: string) => place.split('#') as [file: string, name: string]

/** Finds the places of all exports, from a list on. It follows imports within a room. */
async function placesFrom(list: string, room: string): Promise<Map<unknown, string>> {
  const places = new Map<unknown, string>()
  const files = new Set([list])
  for (const file of files) {
    const exported: Record<string, unknown> = await import(new URL(file, root).href)
    const { declared, imported } = await unitOf(file)
    for (const [name, value] of Object.entries(exported))
      if (declared.has(name)) places.set(value, `${file}#${name}`)
    for (const place of imported.values()) if (place.startsWith(room)) files.add(parted(place)[0])
  }
  return places
}

/** Outside these folders a use says nothing about facts. */
const followed =
  /^(services\/(origins\/|offer\/(batch\.ts|package\/))|pipelines\/(sources|lookups|domains\/company)\/)/

/** Finds the places of everything that a declaration uses, directly or through others. */
async function usedBy(place: string | undefined): Promise<Set<string>> {
  const used = new Set<string>()
  if (place === undefined) return used
  for (const next of used.add(place)) {
    const [file, name] = parted(next)
    if (!followed.test(file)) continue
    const { declared, imported } = await unitOf(file)
    for (const word of declared.get(name) ?? [name]) {
      const from = imported.get(word)
      if (from !== undefined) used.add(from)
      else if (declared.has(word)) used.add(`${file}#${word}`)
    }
  }
  return used
}

/** Other work has its turn after each of them. */
async function inTurn<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (const each of all) {
    done.push(await work(each))
    await turn()
  }
  return done
}

const known = new WeakMap<readonly Origin[], Promise<Line[]>>()

/** The code does not change while it runs, so they are found once. */
export function linesOf(origins: readonly Origin[]): Promise<Line[]> {
  const lines = known.get(origins) ?? lineageOf(origins)
  known.set(origins, lines)
  return lines
}

export async function lineageOf(origins: readonly Origin[]): Promise<Line[]> {
  const [facts, fetched, found, sold] = await Promise.all([
    placesFrom('schemas/index.ts', 'schemas/'),
    placesFrom('pipelines/sources/index.ts', 'pipelines/sources/'),
    placesFrom('pipelines/lookups/index.ts', 'pipelines/lookups/'),
    placesFrom('services/origins/index.ts', 'services/origins/'),
  ])
  const fetching = await inTurn(sources, async source => ({
    name: source.name,
    uses: await usedBy(fetched.get(source)),
  }))
  const finding = lookups.map(lookup => ({ ...lookup, place: found.get(lookup) ?? '' }))
  const selling = await inTurn(
    origins.flatMap(({ operations }) => operations),
    async operation => ({ operation, uses: await usedBy(sold.get(operation)) }),
  )
  const asked = (name: string) =>
    selling.map(({ operation }) => operation).filter(({ source }) => source?.reads.includes(name))
  const readers = (place: string | undefined) =>
    selling.filter(({ uses }) => place !== undefined && uses.has(place)).map(({ operation }) => operation)

  return inTurn(datasets, async dataset => {
    const place = facts.get(dataset) ?? ''
    const bringing = fetching.filter(({ uses }) => uses.has(place)).map(({ name }) => name)
    const keeping = finding.filter(({ keep }) => keep?.dataset === dataset)
    const views = dataset.views.map(view => ({
      view,
      operations: [...readers(facts.get(view)), ...asked(view.name)],
    }))
    const read = new Set(views.flatMap(({ operations }) => operations))
    const others = [
      ...[place, ...keeping.map(lookup => lookup.place)].flatMap(readers),
      ...asked(dataset.name),
    ]
    return {
      dataset,
      sources: bringing,
      lookups: keeping.map(({ name }) => name),
      rooms: bringing.length || keeping.length ? [] : await roomsOf(place),
      views,
      operations: [...new Set(others)].filter(operation => !read.has(operation)),
    }
  })
}

const elsewhere = /^services\/(sandbox|client)\/|^pipelines\/samples\//
const isOfOrigin = (room: string) => room.startsWith('services/origins/')

/** The folder that names a file's subject. Below rails, domains and workers it is one level deeper. */
const roomOf = (file: string) =>
  file
    .split('/')
    .slice(0, /^(pipelines\/(rails|domains|workers)|services\/origins)\/[^/]+\//.test(file) ? 3 : 2)
    .join('/')

/** The folders of the code whose files import the place: those of an origin only where no other does. */
async function roomsOf(place: string): Promise<string[]> {
  const rooms = new Set<string>()
  for (const folder of ['pipelines', 'services'])
    for (const name of await readdir(new URL(folder, root), { recursive: true })) {
      const file = join(folder, name.replaceAll('\\', '/'))
      if (!file.endsWith('.ts') || file.endsWith('.d.ts') || elsewhere.test(file)) continue
      if ([...(await unitOf(file)).imported.values()].includes(place)) rooms.add(roomOf(file))
    }
  const shared = [...rooms].filter(room => !isOfOrigin(room))
  return shared.length ? shared : [...rooms]
}
