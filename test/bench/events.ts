/** How many of the facts that a reader wants of an 8-K are told, and how many are told wrongly. */
import { judged } from '../sec/marked-events.ts'

export async function events(): Promise<void> {
  const all = await judged()
  const there = all.reduce((sum, one) => sum + one.there, 0)
  const missing = all.flatMap(({ file, missing }) => missing.map(fact => `${file}: ${fact}`))
  const wrong = all.flatMap(({ file, wrong }) => wrong.map(fact => `${file}: ${fact}`))
  console.log(
    `events: ${all.length} filings, ${there - missing.length} of ${there} facts told, ${wrong.length} false`,
  )
  for (const fact of missing) console.log(`  not told: ${fact}`)
  for (const fact of wrong) console.log(`  false: ${fact}`)
}
