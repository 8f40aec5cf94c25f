/** `npm run export -- lake`: every table and view of the analysts as Parquet by day, and back into a store. */
import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import {
  type LakeSource,
  lakeFile,
  pourBack,
  pourInto,
  readManifest,
} from '../../pipelines/rails/lake/lake.ts'
import { type LakePlace, lakePlace } from '../../pipelines/rails/lake/place.ts'
import { attachStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import { loadConfig, Misused, wishesOf } from './command-line.ts'

const readable = datasets.filter(({ audience }) => audience === 'analysts')
/** The rows of `sec_facts` once more, and what is asked of a few concepts at a time. */
const apart = new Set(['sec_concepts', 'sec_filed_again'])
const sources: readonly LakeSource[] = readable.flatMap(dataset => [
  { name: dataset.name, dataset, kind: 'table' as const },
  ...dataset.views
    .filter(({ name }) => !apart.has(name))
    .map(({ name }) => ({ name, dataset, kind: 'view' as const })),
])
const count = new Intl.NumberFormat('en').format

const wishes = (usage: string, args: string[]) =>
  wishesOf(usage, () => {
    const { values } = parseArgs({
      args,
      options: { to: { type: 'string' }, from: { type: 'string' }, only: { type: 'string', multiple: true } },
    })
    const { to, from, only = [] } = values
    const at = to ?? from
    if (at === undefined || (to !== undefined && from !== undefined)) throw new Misused(usage)
    const place = lakePlace(at)
    if (!place) throw new Misused('a lake lies in a folder, or at s3://key:secret@host:port/bucket/prefix')
    const unknown = only.find(name => !sources.some(one => one.name === name))
    if (unknown !== undefined)
      throw new Misused(`there is no ${unknown}; there are ${sources.map(({ name }) => name).join(', ')}`)
    const chosen = sources.filter(({ name }) => only.length === 0 || only.includes(name))
    return { place, chosen, isBack: from !== undefined }
  })

export async function lake(usage: string, args: string[]): Promise<void> {
  const { place, chosen, isBack } = wishes(usage, args)
  const { STORE_URL, STORE_CLUSTER } = await loadConfig()
  const store = await attachStore(STORE_URL, { cluster: STORE_CLUSTER })
  try {
    await (isBack ? back(place, store, chosen) : out(place, store, chosen))
  } finally {
    await store.close()
  }
}

async function out(place: LakePlace, store: Store, chosen: readonly LakeSource[]): Promise<void> {
  for (const source of chosen) {
    const { days, rows } = await pourInto(place, store, source)
    if (days > 0) console.log(`${source.name}: ${count(rows)} rows of ${count(days)} days`)
  }
  const names = []
  for (const { name } of sources) if (await readManifest(place, name)) names.push(name)
  await place.write(lakeFile, Buffer.from(`${JSON.stringify({ version: manifest.version, names })}\n`))
  console.log('the lake is as the store is')
}

async function back(place: LakePlace, store: Store, chosen: readonly LakeSource[]): Promise<void> {
  if (!(await place.read(lakeFile))) throw new Error('there is no complete lake')
  await store.apply(datasets)
  for (const { name, dataset, kind } of chosen) {
    if (kind === 'view') continue
    const { days, rows } = await pourBack(place, store, dataset)
    if (days > 0) console.log(`${name}: ${count(rows)} rows of ${count(days)} days`)
  }
  console.log('the tables are as the lake is; the views follow from them')
}
