/** Writes what is derived into the documents that show it; with --check it only tells whether they are true. */
import { readFileSync, writeFileSync } from 'node:fs'
import { datasets } from '../schemas/index.ts'
import { origins } from './origins/index.ts'
import { datasetsTables } from './query/catalog/datasets.ts'
import { operationsTable } from './query/catalog/texts.ts'

const derived = {
  'README.md': { operations: () => operationsTable(origins) },
  'schemas/README.md': { datasets: () => datasetsTables(datasets) },
} as const satisfies Record<string, Record<string, () => string>>

const check = process.argv.includes('--check')
const stale: string[] = []
for (const [file, parts] of Object.entries(derived)) {
  const before = readFileSync(file, 'utf8')
  let after = before
  for (const [name, write] of Object.entries(parts)) {
    const part = new RegExp(`(<!-- ${name}: derived -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
    if (!part.test(after)) throw new Error(`${file} has no place for ${name}`)
    after = after.replace(part, (_, open: string, close: string) => `${open}${write()}\n${close}`)
  }
  if (after === before) continue
  if (check) stale.push(file)
  else writeFileSync(file, after)
}
if (stale.length) {
  console.error(`${stale.join(', ')}: not what the code says; run npm run docs`)
  process.exit(1)
}
