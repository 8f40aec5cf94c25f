/** The files that take longest begin first, so that no worker is left with one of them while the others have nothing to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** From the longest. The others take less than a minute beside three others, and half of one alone. */
const longest = [
  'services/cluster.process',
  'pipelines/domains/chain/honeypots.process',
  'services/sandbox/newcomer.process',
  'contributing.process',
  'services/client/package.process',
  'growth/growth.process',
  'contracts/kafka-log.process',
  'services/sandbox/sandbox.process',
  'contracts/kafka-cluster.process',
  'contracts/kafka-secured.process',
  'services/sandbox/refunds.process',
  'services/sell/sell.process',
  'services/sell/ways.process',
  'services/origins/web/texts.process',
  'services/commands/export.process',
  'deploy/alerts.process',
  'services/till/facilitators',
  'pipelines/rails/outside/browser/packing',
  'services/till/refused',
  'services/till/capacity',
]

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank < 0 ? longest.length : rank
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
