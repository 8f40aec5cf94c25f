/** `npm run export -- <view>`: writes a table or view to a file, with the rights of an analyst. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { datasets } from '../../schemas/index.ts'
import { Misused, runCommand, wishesOf } from './command-line.ts'
import { lake } from './lake.ts'
import { asked, standingStore } from './standing-store.ts'

/** The formats by ClickHouse's names. */
const formats = { parquet: 'Parquet', csv: 'CSVWithNames', arrow: 'Arrow' } as const
type Format = keyof typeof formats

const usage = `npm run export -- <view> [--format parquet|csv|arrow] [--to FILE]
npm run export -- lake --to FOLDER|s3://KEY:SECRET@HOST/BUCKET/PREFIX [--only NAME]
npm run export -- lake --from FOLDER|s3://... [--only NAME]

  Writes every row of a table or view to FILE, or to the terminal's output. STORE_URL (or STORE_PORT, for an embedded store
  that runs) names the store, as for npm run serve. The user analyst of an embedded store gets a million rows at most.

  A lake holds every table and view of the analysts as Parquet, a folder for each day: NAME/lake_day=2026-11-27/part-0.parquet. A run
  writes the days that have changed since the last one, and goes on where an interrupted one was; NAME/_manifest.json names the files. --from
  brings the tables back, into an empty store or one that has some of the rows. It needs the rights of STORE_URL, or DATA_DIR.`

const isFormat = (name: string): name is Format => name in formats

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { format: { type: 'string', default: 'parquet' }, to: { type: 'string' } },
    })
    const [view, ...more] = positionals
    if (!view || more.length) throw new Misused(usage)
    if (!isFormat(values.format))
      throw new Misused(`--format is ${values.format}; it should be ${Object.keys(formats).join(', ')}`)
    const readable = datasets.filter(({ audience }) => audience === 'analysts')
    const names = readable.flatMap(({ name, views }) => [name, ...views.map(one => one.name)])
    if (!names.includes(view)) throw new Misused(`there is no view ${view}; there are ${names.join(', ')}`)
    return { view, format: formats[values.format], to: values.to }
  })

async function write(args: string[]): Promise<void> {
  const { view, format, to } = wishes(args)
  const { body } = await asked(await standingStore(), `select * from ${view} format ${format}`)
  if (!body) throw new Error('the store gave no answer')
  await pipeline(body, to === undefined ? process.stdout : createWriteStream(to))
}

if (import.meta.main)
  runCommand(usage, ([first, ...args]) =>
    first === 'lake' ? lake(usage, args) : write(first === undefined ? [] : [first, ...args]),
  )
