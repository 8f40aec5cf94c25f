/**
 * Asks the feeds of the FAA: the XML document, the same document at its old address, and the JSON of airports. The
 * JSON has more times, but neither its own time nor anything about airspace.
 */
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Outside, Validators } from '../../rails/outside/upstreams/outside.ts'
import type { Missed } from '../source.ts'
import { type FaaDocument, readDocument } from './document.ts'
import { readEvents } from './events-feed.ts'
import { joined } from './joined.ts'
import { eventsPath, faaUpstream, oldFaaUpstream, oldStatusPath, statusPath } from './upstream.ts'

const asking = { timeoutMs: 8_000, maxBytes: 1_000_000 }
const xml = { ...asking, accept: 'application/xml,text/xml,*/*' }
const json = { ...asking, accept: 'application/json' }

interface Feeds {
  document: FaaDocument
  validators: Validators
  missed: Missed[]
}

/** Undefined if the document has not changed. One of the three feeds is enough. */
export async function readFeeds(outside: Outside, validators?: Validators): Promise<Feeds | undefined> {
  const missed: Missed[] = []
  // The world fails: the next feed may have the missing data.
  const tolerated = async <T>(feed: string, read: Promise<T>): Promise<T | undefined> => {
    try {
      return await read
    } catch (error) {
      if (!(error instanceof UpstreamFailed) || outside.signal.aborted) throw error
      missed.push({ feed, reason: error.message })
      return undefined
    }
  }
  const newest = await tolerated('xml', readStatus(outside, validators))
  if (newest?.unchanged) return undefined
  const old = newest ? undefined : await tolerated('old xml', readOldStatus(outside))
  const events = await tolerated('json', readAirports(outside))
  const document = joined(newest?.document ?? old, events)
  if (!document) throw new UpstreamFailed(missed.map(({ reason }) => reason).join('; '))
  // The next poll asks again for the missed feeds, even if the document stays the same.
  return { document, validators: (missed.length === 0 && newest?.validators) || {}, missed }
}

async function readStatus(outside: Outside, validators: Validators | undefined) {
  const answer = await outside.get(faaUpstream, statusPath, { ...xml, validators })
  if (answer.unchanged) return { unchanged: true as const }
  const document = await readDocument(answer.text(), answer.from, outside.now())
  return { unchanged: false as const, document, validators: answer.validators }
}

async function readOldStatus(outside: Outside): Promise<FaaDocument> {
  const answer = await outside.get(oldFaaUpstream, oldStatusPath, xml)
  return readDocument(answer.text(), answer.from, outside.now())
}

async function readAirports(outside: Outside) {
  const answer = await outside.get(faaUpstream, eventsPath, json)
  return readEvents(answer.text(), answer.from, outside.now())
}
