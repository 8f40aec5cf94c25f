/** Where each dataset comes from and what reads it, as the code itself says: by what each of its parts imports and uses. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
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
  /** Where neither brings it: the rooms of the code that know its topic. */
  rooms: readonly string[]
  /** The operations that read each view. */
  views: readonly { view: View; operations: readonly Operation[] }[]
  /** The operations that read no view of it, but get its facts by a lookup. */
  operations: readonly Operation[]
}

const root = new URL('../../', import.meta.url)

/** A file: what each of its declarations uses, and where that is declared, where it is not here. */
interface Unit {
  declared: ReadonlyMap<string, readonly string[]>
  imported: ReadonlyMap<string, string>
}

const importLine = /^(?:import|export) (?:\w+, )?\{([^}]*)\} from '(\.[^']+\.ts)'/gm
const declaration = /^(?:export )?(?:async )?(?:const|class|function\*?) (\w+)/gm

const units = new Map<string, Unit>()

function unitOf(file: string): Unit {
  const known = units.get(file)
  if (known) return known
  const text = readFileSync(new URL(file, root), 'utf8')
  const imported = [...text.matchAll(importLine)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map(name => name.trim().split(' as '))
      .filter(([name = '']) => name !== '' && !name.startsWith('type '))
      .map(([name = '', here = name]) => [here, `${join(dirname(file), from)}#${name}`] as const),
  )
  const starts = [...text.matchAll(declaration)]
  const declared = starts.map(({ 1: name = '', index }, at) => {
    const body = text.slice(index, starts[at + 1]?.index)
    return [name, [...new Set(body.match(/\b[A-Za-z_]\w*/g))]] as const
  })
  const unit = { declared: new Map(declared), imported: new Map(imported) }
  units.set(file, unit)
  return unit
}

/** A place is `<file>#<name>`. */
const parted = (place: string) => place.split('#') as [file: string, name: string]

/** The places of everything that the files export, from a list on, as far as they import each other in a room. */
async function placesFrom(list: string, room: string): Promise<Map<unknown, string>> {
  const places = new Map<unknown, string>()
  const files = new Set([list])
  for (const file of files) {
    const exported: Record<string, unknown> = await import(new URL(file, root).href)
    for (const [name, value] of Object.entries(exported))
      if (unitOf(file).declared.has(name)) places.set(value, `${file}#${name}`)
    for (const place of unitOf(file).imported.values())
      if (place.startsWith(room)) files.add(parted(place)[0])
  }
  return places
}

/** Beyond these, a use says nothing about facts. */
const followed = /^(services\/(origins\/|offer\/batch\.ts)|pipelines\/(sources|lookups|domains\/company)\/)/

/** The places of everything that a declaration uses, directly or through others. */
function usedBy(place: string | undefined): Set<string> {
  const used = new Set<string>()
  if (place === undefined) return used
  for (const next of used.add(place)) {
    const [file, name] = parted(next)
    if (!followed.test(file)) continue
    const { declared, imported } = unitOf(file)
    for (const word of declared.get(name) ?? [name]) {
      const from = imported.get(word)
      if (from !== undefined) used.add(from)
      else if (declared.has(word)) used.add(`${file}#${word}`)
    }
  }
  return used
}

export async function lineageOf(origins: readonly Origin[]): Promise<Line[]> {
  const [facts, fetched, found, sold] = await Promise.all([
    placesFrom('schemas/index.ts', 'schemas/'),
    placesFrom('pipelines/sources/index.ts', 'pipelines/sources/'),
    placesFrom('pipelines/lookups/index.ts', 'pipelines/lookups/'),
    placesFrom('services/origins/index.ts', 'services/origins/'),
  ])
  const fetching = sources.map(source => ({ name: source.name, uses: usedBy(fetched.get(source)) }))
  const finding = lookups.map(lookup => ({ ...lookup, place: found.get(lookup) ?? '' }))
  const selling = origins
    .flatMap(({ operations }) => operations)
    .map(operation => ({ operation, uses: usedBy(sold.get(operation)) }))
  const readers = (place: string | undefined) =>
    selling.filter(({ uses }) => place !== undefined && uses.has(place)).map(({ operation }) => operation)

  return datasets.map(dataset => {
    const place = facts.get(dataset) ?? ''
    const bringing = fetching.filter(({ uses }) => uses.has(place)).map(({ name }) => name)
    const keeping = finding.filter(({ keep }) => keep?.dataset === dataset)
    const views = dataset.views.map(view => ({ view, operations: readers(facts.get(view)) }))
    const read = new Set(views.flatMap(({ operations }) => operations))
    const others = [place, ...keeping.map(lookup => lookup.place)].flatMap(readers)
    return {
      dataset,
      sources: bringing,
      lookups: keeping.map(({ name }) => name),
      rooms: bringing.length || keeping.length ? [] : roomsOf(place),
      views,
      operations: [...new Set(others)].filter(operation => !read.has(operation)),
    }
  })
}

const elsewhere = /^services\/(sandbox|client|origins)\/|^pipelines\/samples\//

/** The folder that says what a file is about: below a floor of the pipelines the next one. */
const roomOf = (file: string) =>
  file
    .split('/')
    .slice(0, /^pipelines\/(rails|domains|workers)\/[^/]+\//.test(file) ? 3 : 2)
    .join('/')

/** The folders of the code whose files import the place. */
function roomsOf(place: string): string[] {
  const files = ['pipelines', 'services'].flatMap(folder =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .map(file => join(folder, file.replaceAll('\\', '/')))
      .filter(file => file.endsWith('.ts') && !file.endsWith('.d.ts') && !elsewhere.test(file)),
  )
  const knowing = files.filter(file => [...unitOf(file).imported.values()].includes(place))
  return [...new Set(knowing.map(file => roomOf(file)))]
}
