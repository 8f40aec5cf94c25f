/** What operators read of upstreams: the table of their variables, and the lines by which compose passes them on. */
import type { Rate, Upstream } from '../pipelines/outside/upstream.ts'

export function upstreamsTable(upstreams: readonly Upstream[], rates: readonly Rate[]): string {
  const addresses = upstreams.map(({ variable, live, title, replacedBy }) => {
    const unless = replacedBy ? `; not asked while \`${replacedBy}\` is set` : ''
    return `| \`${variable}\` | \`${live}\` | ${title}${unless} |`
  })
  const shares = rates.map(
    ({ variable, perSecond, of }) =>
      `| \`${variable}\` | \`${perSecond}\` | requests a second to ${of}, this process's share of ${perSecond} |`,
  )
  return ['| variable | default | what |', '|---|---|---|', ...addresses, ...shares].join('\n')
}

export const upstreamsEnvironment = (upstreams: readonly Upstream[]): string =>
  upstreams.map(({ variable }) => `${variable}: \${${variable}:-}`).join('\n')
