/** Opens the workers of this process's roles. */
import type { Tools } from '../offer/operation.ts'
import { workersOf } from '../origins/index.ts'
import { ownedBy, type RoleProcess } from './process.ts'

/** Workers of the query role ask operations, so they open last, with the tools. A call without tools opens all others. */
export async function openWorkers(process: RoleProcess, tools?: Tools): Promise<void> {
  const { config, lifecycle, parts } = process
  for (const worker of workersOf(config.origins)) {
    const { part, name, role, follows } = worker
    if (!config.ROLES.includes(role) || (role === 'query') !== (tools !== undefined)) continue
    const own = ownedBy(process, part)
    await lifecycle.run(name ? `${part} of ${name}` : part, () =>
      worker.role === 'query' ? worker.open({ ...own, tools: tools as Tools }) : worker.open(own),
    )
    if (follows) parts.groups.push(follows)
  }
}
