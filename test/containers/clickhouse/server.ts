/** The engine as a server: on every address, and with the passwords of the environment. It ends with its engine. */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { tryResolveLibchdb } from 'chdb/libchdb'

const library = tryResolveLibchdb({ env: {} })?.path ?? ''
const config = 'deploy/clickhouse/embedded.xml'
const inner = { http: 18123, tcp: 19000 }
const program = ['pipelines/rails/store/engine.ts', library, config, '/var/lib/clickhouse']
const engine = spawn(process.execPath, [...program, `${inner.http}`, `${inner.tcp}`], {
  stdio: ['pipe', 'inherit', 'inherit'],
  env: {
    STORE_PASSWORD: process.env.STORE_PASSWORD ?? '',
    ANALYST_PASSWORD: process.env.ANALYST_PASSWORD ?? '',
    USERS_FILE: '/etc/clickhouse-server/users.xml',
    HTTP_FILE: '/etc/clickhouse-server/config.d/http.xml',
    FUNCTIONS_FOLDER: '/app/deploy/clickhouse/functions/',
  },
})
engine.once('exit', code => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => engine.stdin.end())

for (const [outer, port] of [
  [8123, inner.http],
  [9000, inner.tcp],
] as const)
  createServer(socket => {
    const within = connect(port, '127.0.0.1')
    for (const end of [socket, within]) end.on('error', () => socket.destroy() && within.destroy())
    socket.pipe(within).pipe(socket)
  }).listen(outer, '0.0.0.0')
