/** How many of the facts that a reader wants of an 8-K are told, and how many are told wrongly. */
import { pathToFileURL } from 'node:url'
import { type Judged, judged } from '../sec/marked-events.ts'
import recorded from './recorded-events.json' with { type: 'json' }

export async function events(): Promise<void> {
  tell('events', await judged())
  const samples = process.env.RECORDED_SAMPLES
  if (!samples) return console.log('events: RECORDED_SAMPLES is unset, so no recorded report is judged')
  tell('events, recorded', await judged(recorded, pathToFileURL(`${samples}/c-sec/8k/`)))
}

function tell(name: string, all: readonly Judged[]): void {
  const there = all.reduce((sum, one) => sum + one.there, 0)
  const missing = all.flatMap(({ file, missing }) => missing.map(fact => `${file}: ${fact}`))
  const wrong = all.flatMap(({ file, wrong }) => wrong.map(fact => `${file}: ${fact}`))
  console.log(
    `${name}: ${all.length} filings, ${there - missing.length} of ${there} facts told, ${wrong.length} false`,
  )
  for (const fact of missing) console.log(`  not told: ${fact}`)
  for (const fact of wrong) console.log(`  false: ${fact}`)
}
