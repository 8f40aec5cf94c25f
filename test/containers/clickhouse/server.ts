/** The engine as a server: on every address, and with the passwords of the environment. It ends with its engine. */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import type * as Library from '../../../pipelines/rails/store/engine-library.ts'

/** In the image this file lies at the top. */
const { engineLibrary }: typeof Library = await import(
  `${process.cwd()}/pipelines/rails/store/engine-library.ts`
)

const config = 'deploy/clickhouse/embedded.xml'
const rows = '/var/lib/clickhouse'
const library = (await engineLibrary(rows)) ?? ''
const inner = { http: 18123, tcp: 19000 }
const program = ['pipelines/rails/store/engine.ts', library, config, rows]
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
