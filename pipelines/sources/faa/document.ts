/** Reads the document of the FAA: its time, the events of each airport, and its other statements. */
import type { AirportEvent } from '../../../schemas/airport-events.ts'
import { type Drift, driftOf } from '../../rails/drift.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { readXml, type XmlElement } from '../../rails/formats/xml.ts'
import { airspaceLists, knownElements, otherList, readers, textOf } from './lists.ts'
import { updateTime } from './times.ts'

export interface FaaDocument {
  /** Undefined if the document has no time. */
  updated: number | undefined
  airports: Map<string, AirportEvent[]>
  airspacePrograms: number
  unreadLists: string[]
  drift: Drift[]
}

const root = 'AIRPORT_STATUS_INFORMATION'

export async function readDocument(body: string, from: string, now: number): Promise<FaaDocument> {
  const document = await readXml(body, from)
  if (document.name !== root)
    throw new UpstreamFailed(`${from} has the root <${document.name}>, not <${root}>`)
  const updated = updateTime(textOf(document, 'Update_Time') ?? '')
  const lists = document.children
    .filter(child => child.name === 'Delay_type')
    .flatMap(type => type.children.filter(child => child.name !== 'Name'))
  if (updated === undefined && lists.length === 0)
    throw new UpstreamFailed(`${from} says neither when it was written nor anything else`)

  const airports = new Map<string, AirportEvent[]>()
  const unreadLists = new Set<string>()
  let airspacePrograms = 0
  const drift: Drift[] = []
  for (const list of lists) {
    if (airspaceLists.has(list.name)) {
      airspacePrograms += list.children.length
      continue
    }
    const read = readers[list.name] ?? otherList
    const known = knownElements[list.name]
    if (known) {
      const entries = list.children.map(({ children }) => Object.fromEntries(children.map(namedText)))
      drift.push(...driftOf(known, entries).map(one => ({ ...one, what: `${list.name}.${one.what}` })))
    } else drift.push({ kind: 'unknown', what: list.name, sample: '' })
    for (const entry of list.children) {
      const airport = textOf(entry, 'ARPT')?.toUpperCase() ?? ''
      const events = /^[A-Z0-9]{3,4}$/.test(airport) ? read(entry, updated ?? now) : []
      if (events.length === 0) unreadLists.add(list.name)
      else airports.set(airport, [...(airports.get(airport) ?? []), ...events])
    }
  }
  return { updated, airports, airspacePrograms, unreadLists: [...unreadLists], drift }
}

const namedText = ({ name, text }: XmlElement) => [name, text] as const
