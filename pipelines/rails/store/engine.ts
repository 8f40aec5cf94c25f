/**
 * The child process of the engine. It serves until its stdin ends, and ignores signals that are meant for its parent.
 */
import { DataType, load, open } from 'ffi-rs'
import { bePolite } from '../politeness.ts'

const [library = '', configFile, folder, httpPort, tcpPort] = process.argv.slice(2)

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
// A sale comes before a query. The threads of the engine inherit this.
bePolite(10)
// The pipe closes when the parent dies, for any reason. By then every confirmed row is in a file. A clean exit of the
// engine could wait for a long query, so it is killed.
process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()

/** HTTP starts last, so when it answers, the native port listens too. The last statement keeps the engine running. */
const statements = [
  'system start listen tcp',
  'system start listen http',
  'select sleepEachRow(1) from system.numbers settings function_sleep_max_microseconds_per_block = 0, max_block_size = 1 format Null',
]
const argv = [
  'clickhouse',
  `--config-file=${configFile}`,
  `--path=${folder}`,
  `--http_port=${httpPort}`,
  `--tcp_port=${tcpPort}`,
  '--listen_host=127.0.0.1',
  `--query=${statements.join('; ')}`,
]

// Uses ffi-rs, not koffi: koffi calls on a stack of its own, and the engine refuses to run there.
open({ library: 'engine', path: library })
await load({
  library: 'engine',
  funcName: 'query_stable_v2',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argv.length, argv],
  runInNewThread: true,
})
process.exit(1)
