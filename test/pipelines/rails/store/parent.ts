/** A process that owns an engine. Tests kill it. */
import { startEngine } from '../../../../pipelines/rails/store/embedded.ts'

const [folder = ''] = process.argv.slice(2)
const engine = await startEngine({
  folder,
  httpPort: 0,
  tcpPort: 0,
  usersFile: 'deploy/clickhouse/users.xml',
  analystPassword: '',
  onProblem: console.error,
})
process.on('SIGINT', () => console.log('interrupted'))
console.log(JSON.stringify({ pid: engine.pid(), ...engine.address }))
