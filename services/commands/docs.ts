/** Writes the derived parts of documents. With --check it only compares them with the code. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rates, upstreams } from '../../pipelines/index.ts'
import { sources } from '../../pipelines/sources/index.ts'
import { datasets } from '../../schemas/index.ts'
import {
  addressesEnvironment,
  canaryEnvironment,
  facilitatorsEnvironment,
  nodesEnvironment,
  partsEnvironment,
  payToEnvironment,
  settleEnvironment,
  upstreamsEnvironment,
  upstreamsTable,
  variablesTable,
} from '../config/environment-texts.ts'
import { strangersTable } from '../config/strangers.ts'
import { costsTable, sizesTable } from '../query/catalog/costs.ts'
import { datasetsTables } from '../query/catalog/datasets.ts'
import { examplesShown } from '../query/catalog/snippets.ts'
import { operationsTable, operationsText } from '../query/catalog/texts.ts'
import { clientKinds, clientNetworks, clientOperations } from '../query/catalog/typescript.ts'
import { aclLines } from '../roles/acls.ts'
import { schemaText } from '../sell/schema.ts'
import { sold, soldCalls, writeClientShapes } from './client-shapes.ts'

const origins = sold.map(({ url: _, ...origin }) => origin)

const derived = {
  'services/README.md': { operations: () => operationsTable(origins) },
  'services/client/operations.ts': {
    operations: () => clientOperations(soldCalls),
  },
  'services/client/networks.ts': { networks: clientNetworks },
  'services/client/kinds.ts': { kinds: clientKinds },
  'services/client/README.md': { examples: examplesShown },
  'schemas/README.md': {
    costs: () => costsTable(datasets),
    sizes: () => sizesTable(sources),
    datasets: () => datasetsTables(datasets),
  },
  'deploy/README.md': {
    variables: () => variablesTable(origins),
    upstreams: () => upstreamsTable(upstreams, rates),
  },
  'deploy/kafka/acls.sh': { acls: aclLines },
  '.github/SECURITY.md': { strangers: strangersTable },
  'deploy/compose.yaml': {
    nodes: nodesEnvironment,
    upstreams: () => upstreamsEnvironment(upstreams),
    addresses: () => addressesEnvironment(origins),
    'pay-to': payToEnvironment,
    facilitators: facilitatorsEnvironment,
    // Refunds go back for what was paid to these wallets alone.
    ingest: () => `${payToEnvironment()}\n${partsEnvironment(origins, ['ingest'])}`,
    worker: () => partsEnvironment(origins, ['sink', 'meter']),
    query: () => partsEnvironment(origins, ['query']),
    render: () => partsEnvironment(origins, ['render']),
    settle: settleEnvironment,
    canary: canaryEnvironment,
  },
} as const satisfies Record<string, Record<string, () => string>>

/** Files that are derived as a whole. */
const whole = {
  'services/sell/sell.schema.json': schemaText,
  'schemas/operations.json': () => operationsText(origins),
} as const satisfies Record<string, () => string>

writeClientShapes()
const check = process.argv.includes('--check')
const stale: string[] = []
for (const [file, parts] of Object.entries(derived)) {
  const before = readFileSync(file, 'utf8')
  let after = before
  for (const [name, write] of Object.entries(parts)) {
    const part = new RegExp(
      `^( *)((?:<!--|#|//) ${name}: derived.*\n)[\\s\\S]*?(^ *(?:<!--|#|//) /${name}\\b)`,
      'm',
    )
    if (!part.test(after)) throw new Error(`${file} has no place for ${name}`)
    after = after.replace(part, (_, indent: string, open: string, close: string) => {
      const lines = write().split('\n')
      return `${indent}${open}${lines.map(line => `${indent}${line}\n`).join('')}${close}`
    })
  }
  if (after === before) continue
  if (check) stale.push(file)
  else writeFileSync(file, after)
}
for (const [file, write] of Object.entries(whole)) {
  if (existsSync(file) && readFileSync(file, 'utf8') === write()) continue
  if (check) stale.push(file)
  else writeFileSync(file, write())
}
if (stale.length) {
  console.error(`${stale.join(', ')}: does not match the code; run npm run docs`)
  process.exit(1)
}
