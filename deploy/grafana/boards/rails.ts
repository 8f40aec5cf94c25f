import { type Board, bars, lines, stat } from '../board.ts'
import { isItWell } from '../glance.ts'

export const rails: Board = {
  uid: 'farebox-rails',
  title: 'Rails',
  description: 'Are brokers, copies, disks, parts and memory well, so that facts can go on moving?',
  glance: [
    ...isItWell,
    stat(
      'Brokers away',
      'short',
      'max(farebox_log_brokers{state="known"} - ignoring (state) farebox_log_brokers{state="present"})',
      {
        description: 'Brokers that hold copies of our topics and are not in the cluster. Only with Kafka.',
        runbook: 'brokermissing',
        bounds: { bad: 1 },
      },
    ),
    stat(
      'Room in the store',
      'percentunit',
      'min(farebox_store_disk_bytes{state="free"} / ignoring (state) farebox_store_disk_bytes{state="total"})',
      {
        description: 'What the fullest disk of ClickHouse has left.',
        runbook: 'storediskfull',
        bounds: { warn: 0.2, bad: 0.1, below: true },
      },
    ),
    stat('Most parts', 'short', 'max(farebox_store_parts)', {
      description: 'In one partition of one table. From 1000 on inserts are slowed down.',
      runbook: 'storeparts',
      bounds: { warn: 200, bad: 500 },
    }),
  ],
  panels: [
    lines(
      'Partitions that are not well',
      'short',
      { '{{state}} {{topic}}': 'max by (state, topic) (farebox_log_partitions) > 0' },
      {
        description: 'Behind: a copy is not up to date. Leaderless: nothing can be appended.',
        runbook: 'copiesbehind',
        bounds: { bad: 1 },
      },
    ),
    lines(
      'Behind by partition',
      'short',
      {
        '{{group}} {{topic}} {{partition}}':
          'topk(10, max by (topic, group, partition) (farebox_log_lag_partition_records) > 0)',
      },
      {
        description:
          'One partition that stays behind alone has a key, or a member of the group, that is stuck.',
        runbook: 'sinklaggrowing',
      },
    ),
    lines(
      'Under the log',
      'bytes',
      { '{{state}} {{instance}}': 'farebox_log_disk_bytes' },
      {
        description: 'Only with a log of one file: what it takes, and what its disk has left.',
        runbook: 'logdiskfull',
      },
    ),
    lines(
      'Disks of the store',
      'bytes',
      { '{{host}} {{disk}} {{state}}': 'min by (host, disk, state) (farebox_store_disk_bytes)' },
      { description: 'Free and in all.', runbook: 'storediskfull' },
    ),
    bars(
      'Largest tables',
      'bytes',
      { '{{table}}': 'topk(12, sum by (table) (max by (host, table) (farebox_store_table_bytes)))' },
      { description: 'What the tables take on disk, all servers together.', runbook: 'storediskfull' },
    ),
    lines(
      'Parts',
      'short',
      { '{{table}}': 'topk(10, max by (table) (farebox_store_parts))' },
      {
        description: 'In the partition that has most. Merges make them fewer.',
        runbook: 'storeparts',
        bounds: { warn: 200, bad: 500 },
      },
    ),
    lines(
      'Memory of the store',
      'bytes',
      { '{{host}} {{state}}': 'max by (host, state) (farebox_store_memory_bytes)' },
      { description: 'Used, and the limit of the server.', runbook: 'storememory' },
    ),
    lines(
      'Merges',
      'short',
      { '{{host}}': 'max by (host) (farebox_store_merges)' },
      { description: 'Under way.', runbook: 'storeparts' },
    ),
    lines(
      'Longest merge',
      's',
      { '{{host}}': 'max by (host) (farebox_store_merge_seconds)' },
      { description: 'How long the oldest merge under way has run.', runbook: 'storeparts' },
    ),
    lines(
      'Changes of whole tables',
      'short',
      { '{{host}} {{state}}': 'max by (host, state) (farebox_store_mutations)' },
      {
        description: 'Not done yet, and of these the ones that have failed.',
        runbook: 'storemutationsstuck',
      },
    ),
    lines(
      'Copies of tables',
      's',
      { 'behind, {{host}}': 'max by (host) (farebox_store_replica_delay_seconds)' },
      { description: 'How far the slowest copy is behind. Only in a cluster.', runbook: 'storereadonly' },
    ),
    lines(
      'Tables that take no inserts',
      'short',
      { '{{host}}': 'max by (host) (farebox_store_readonly_tables)' },
      { description: 'Their copy has lost its Keeper.', runbook: 'storereadonly', bounds: { bad: 1 } },
    ),
  ],
}
