/** A ZooKeeper from Maven, which a cluster of ClickHouse takes for its Keeper. */
import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'
import { classpathOf, connects, freePorts, run, spawnJava } from './java.ts'

const pom = fileURLToPath(new URL('zookeeper/pom.xml', import.meta.url))

export interface Zookeeper {
  port: number
  /** Every path below this one. */
  paths(below: string): Promise<readonly string[]>
  close(): Promise<void>
}

export async function startZookeeper(folder: string): Promise<Zookeeper> {
  const classpath = await classpathOf(pom, 'zookeeper')
  const [port] = (await freePorts(1)) as [number]
  const quiet = ['-Xmx256m', '-Dzookeeper.admin.enableServer=false']
  const server = 'org.apache.zookeeper.server.ZooKeeperServerMain'
  const { kill } = await spawnJava(classpath, ...quiet, server, `${port}`, folder)
  await until(() => connects(port), `ZooKeeper on port ${port}`, 60_000)
  return {
    port,
    close: kill,
    async paths(below) {
      const client = ['-cp', classpath, 'org.apache.zookeeper.ZooKeeperMain', '-server', `127.0.0.1:${port}`]
      const { stdout } = await run('java', [...client, 'ls', '-R', below], { maxBuffer: 64 << 20 })
      return stdout.split('\n').filter(line => line.startsWith(below))
    },
  }
}
