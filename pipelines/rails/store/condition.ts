/** Reads from ClickHouse's own tables what an operator must know of its servers: room, parts, merges, mutations, memory, replicas. */
import { allDatabases, type Databases } from './ddl.ts'

interface Disk {
  host: string
  disk: string
  free: number
  total: number
}

interface TableParts {
  host: string
  table: string
  /** In the partition that has most. ClickHouse slows inserts down at a thousand, and refuses them at three thousand. */
  parts: number
  bytes: number
}

interface Server {
  host: string
  /** Bytes that its queries, merges and caches hold, and those that they may hold. 0: it has no limit. */
  memory: number
  memoryLimit: number
  merges: number
  longestMergeSeconds: number
  /** Changes of whole tables that are not done, and those of them that have failed. */
  mutations: number
  failedMutations: number
  /** Tables that take no inserts, because their replica has lost Keeper. */
  readonlyTables: number
  /** How far the slowest copy of a table is behind. */
  replicaDelaySeconds: number
}

export interface StoreCondition {
  servers: readonly Server[]
  disks: readonly Disk[]
  tables: readonly TableParts[]
}

interface Session {
  query<Row>(sql: string): Promise<Row[]>
}

export async function conditionOf({ query }: Session, databases: Databases): Promise<StoreCondition> {
  const { cluster } = databases
  const from = (table: string) =>
    cluster ? `clusterAllReplicas(${cluster}, system.${table})` : `system.${table}`
  const ours = allDatabases(databases).map(name => `'${name}'`)
  const [disks, tables, servers] = await Promise.all([
    query<Disk>(
      `select hostName() as host, name as disk, toFloat64(free_space) as free, toFloat64(total_space) as total
      from ${from('disks')} where total_space > 0 and total_space < 1e18`,
    ),
    query<TableParts>(
      `select host, table, toFloat64(max(n)) as parts, toFloat64(sum(size)) as bytes from (
        select hostName() as host, table, partition, count() as n, sum(bytes_on_disk) as size
        from ${from('parts')} where active and database in (${ours}) group by host, table, partition
      ) group by host, table`,
    ),
    query<Server>(
      `select host, ${figures.map(([name]) => `toFloat64(sum(${name})) as ${name}`)} from (
        ${figures.map((_, one) => row(one, from)).join(' union all ')}
      ) group by host`,
    ),
  ])
  return { servers, disks, tables }
}

type Figure = readonly [name: Exclude<keyof Server, 'host'>, table: string, sql: string]

const figures: readonly Figure[] = [
  ['memory', 'metrics', "sumIf(value, metric = 'MemoryTracking')"],
  ['memoryLimit', 'server_settings', "sumIf(toUInt64OrZero(value), name = 'max_server_memory_usage')"],
  ['merges', 'merges', 'count()'],
  ['longestMergeSeconds', 'merges', 'max(elapsed)'],
  ['mutations', 'mutations', 'countIf(not is_done)'],
  ['failedMutations', 'mutations', "countIf(not is_done and latest_fail_reason != '')"],
  ['readonlyTables', 'replicas', 'countIf(is_readonly)'],
  ['replicaDelaySeconds', 'replicas', 'max(absolute_delay)'],
]

/** One figure of each server, beside zeros for the others. */
function row(one: number, from: (table: string) => string): string {
  const columns = figures.map(([name, , sql], i) => `${i === one ? `toFloat64(${sql})` : '0.'} as ${name}`)
  return `select hostName() as host, ${columns} from ${from((figures[one] as Figure)[1])} group by host`
}
