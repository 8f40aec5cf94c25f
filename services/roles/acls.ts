/** Writes the rights of each role as calls of Kafka's own command. */

import { roles } from '../../pipelines/rails/environment/roles.ts'
import { groupIdOf } from '../../pipelines/rails/log/group-id.ts'
import type { Topic } from '../../schemas/dataset/dataset.ts'
import { rightsOf, topicsOf } from './rights.ts'

const named = (option: string, names: readonly string[]): string =>
  names
    .toSorted()
    .map(name => ` \\\n  --${option} ${name}`)
    .join('')
const topics = (of: readonly Topic[]) =>
  named(
    'topic',
    of.map(({ name }) => name),
  )

/** Write and Read include Describe. */
export function aclLines(): string {
  const ofRoles = roles.flatMap(role => {
    const { reads, writes, groups } = rightsOf[role]
    const principal = `"\${${role.toUpperCase()}:-${role}}"`
    const ids = groups.map(({ topic, group }) => groupIdOf(topic, group))
    return [
      `allow ${principal} --operation Read${topics(reads)}`,
      `allow ${principal} --operation Write${topics(writes)}`,
      ...(ids.length ? [`allow ${principal} --operation Read${named('group', ids)}`] : []),
    ]
  })
  const making = ['Create', 'Describe', 'DescribeConfigs', 'AlterConfigs']
    .map(one => ` --operation ${one}`)
    .join('')
  const all = topics(topicsOf(roles))
  return [
    ...ofRoles,
    `allow "\${TOPICS:-topics}"${making}${all}`,
    // A restore fills the topics, and asks first whether they are empty.
    `allow "\${TOPICS:-topics}" --operation Write${all}`,
    `allow "\${TOPICS:-topics}" --operation Describe --group "*"`,
    `allow "\${OPERATOR:-operator}" --operation Read${all}`,
    `allow "\${OPERATOR:-operator}" --operation Describe --group "*"`,
  ].join('\n')
}
