/** Opens the workers of this process's roles. */

import { modelSummaries } from '../../pipelines/domains/company/events/model.ts'
import { type Duties, openDuties } from '../../pipelines/rails/duties/duties.ts'
import type { Upstream } from '../../pipelines/rails/outside/upstreams/upstream.ts'
import { workers } from '../../pipelines/workers/index.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { type Config, sold } from '../config/config.ts'
import type { Process } from './process.ts'

/** Resolves with the duties of this process. */
export async function openWorkers(process: Process): Promise<Duties> {
  const { config, lifecycle, log, store, outside, now, samples, tell, bulk, warn, parts } = process
  const { visits, web, pages, attest, watch } = process

  const duties = await lifecycle.run('duties', () => openDuties({ log, outside, onFailed: warn('duty') }))
  const needs = {
    log,
    alone: duties.alone.bind(duties),
    store,
    outside,
    now,
    tell,
    bulk,
    dataDir: config.DATA_DIR,
    visits,
    web,
    pages,
    browser: { named: config.BROWSER, withoutSandbox: config.BROWSER_SANDBOX === 'off' },
    isSample: ({ variable }: Upstream) => samples.has(variable),
    summarise: summariserOf(config),
    watch,
    networks: config.NETWORKS.map(name => {
      const { rpc, payTo } = networks[name]
      return { name, rpcUrls: config[rpc], payTo: config[payTo] }
    }),
    sold: sold(config).flatMap(({ name, operations }) =>
      operations.map(({ id }) => ({ origin: name, operation: id })),
    ),
    attestLog: attest?.logSigner,
  }
  for (const { part, name, role, follows, open } of workers) {
    if (!config.ROLES.includes(role)) continue
    await lifecycle.run(name ? `${part} of ${name}` : part, () => open({ ...needs, onFailed: warn(part) }))
    if (follows) parts.groups.push(follows)
  }
  return duties
}

const summariserOf = ({ SUMMARY_URL: url, SUMMARY_MODEL: model, SUMMARY_TOKEN: token }: Config) =>
  url && model ? modelSummaries({ url, model, token }) : undefined
