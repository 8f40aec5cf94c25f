/**
 * The topics that each role reads and writes. A process has no other rights, and the brokers enforce the same
 * (deploy/kafka/acls.sh). Topics that other declarations name are not repeated here.
 */
import { lookups } from '../../pipelines/lookups/index.ts'
import { type Role, roles } from '../../pipelines/rails/environment/roles.ts'
import type { Topics } from '../../pipelines/workers/worker.ts'
import { callCounts } from '../../schemas/call-counts.ts'
import { canaryPurchases } from '../../schemas/canary-purchases.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { datasetSchemas } from '../../schemas/dataset-schemas.ts'
import { doorCounts } from '../../schemas/door-counts.ts'
import { duties } from '../../schemas/duties.ts'
import { datasets } from '../../schemas/index.ts'
import { mcpTrials } from '../../schemas/mcp-trials.ts'
import { rejects } from '../../schemas/rejects.ts'
import { isRequests } from '../../schemas/requests.ts'
import { settleCosts } from '../../schemas/settle-costs.ts'
import { settlements } from '../../schemas/settlements.ts'
import { tillOpen } from '../../schemas/till-open.ts'
import { tillPromises } from '../../schemas/till-promises.ts'
import { tillSecrets } from '../../schemas/till-secrets.ts'
import { tokenPrices } from '../../schemas/token-prices.ts'
import { webFetches } from '../../schemas/web-fetches.ts'
import { webPages } from '../../schemas/web-pages.ts'
import { webRequests } from '../../schemas/web-requests.ts'
import { origins, workersOf } from '../origins/index.ts'

interface Has {
  topic: Topic
}

/** The rights are the same for every process of the role, whatever its origins and keys. */
interface Rights {
  reads: readonly Topic[]
  writes: readonly Topic[]
  /** The groups whose progress it commits or reads. */
  groups: readonly { topic: Topic; group: string }[]
}

const requests = datasets.filter(isRequests)
const held = datasets.filter(({ views }) => views.some(view => view.held || view.looked))
const kept = lookups.flatMap(({ keep }) => (keep ? [keep.dataset as Has] : []))

/** The topics that the paths of the query role read and write. Workers declare their own. */
const ofPaths: Topics = {
  reads: [tillPromises, tillOpen, tillSecrets, mcpTrials, webPages, ...held, ...kept, ...requests],
  writes: [
    ...[tillPromises, tillOpen, tillSecrets, settlements, rejects, mcpTrials, webRequests, webFetches],
    ...[tokenPrices, doorCounts, ...kept, ...requests],
  ],
}
/** It knows what was bought, and nothing of a seller. */
const ofCanary: Topics = { reads: [canaryPurchases], writes: [canaryPurchases] }
/** It pays for transactions. */
const ofSettle: Topics = { writes: [settleCosts] }
/**
 * Each role shares out its work by duties, says what its events look like and whom it has asked, except one that runs strangers' scripts and
 * one that is a customer.
 */
const sharing: Topics = { reads: [duties, datasetSchemas], writes: [duties, datasetSchemas, callCounts] }

const workers = workersOf(origins)
const unique = (having: readonly Has[]): Topic[] => [
  ...new Map(having.map(({ topic }) => [topic.name, topic])).values(),
]

export const rightsOf = Object.fromEntries(
  roles.map((role): [Role, Rights] => {
    const own = workers.filter(worker => worker.role === role)
    const having: Topics[] = [
      ...(role === 'render' || role === 'canary' ? [] : [sharing]),
      ...own,
      ...(role === 'query' ? [ofPaths, ...origins] : []),
      ...(role === 'canary' ? [ofCanary] : []),
      ...(role === 'settle' ? [ofSettle] : []),
    ]
    const all = own.flatMap(({ follows, groups = [] }) => [...(follows ? [follows] : []), ...groups])
    const reads = having.flatMap(({ reads = [] }) => reads)
    const writes = having.flatMap(({ writes = [] }) => writes)
    return [role, { reads: unique([...reads, ...all]), writes: unique(writes), groups: all }]
  }),
) as Record<Role, Rights>

/** Every topic that processes of these roles open. */
export const topicsOf = (of: readonly Role[]): Topic[] =>
  unique(of.flatMap(role => [...rightsOf[role].reads, ...rightsOf[role].writes]).map(topic => ({ topic })))
