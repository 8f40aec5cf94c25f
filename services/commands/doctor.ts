/** `npm run doctor`: looks at a deployment, and says in words what is wrong. */
import { parseArgs } from 'node:util'
import { httpUrl } from '../../pipelines/rails/environment/kinds.ts'
import { environmentOfProcess } from '../config/process-environment.ts'
import type { Diagnosis, State } from '../doctor/diagnosis.ts'
import { Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run doctor [-- --prometheus URL --json]

  Looks at a deployment as a process with these variables sees it: the variables themselves, log, store and large answers, nodes,
  facilitators, upstreams, the public address, clock, disk and versions; with --prometheus, whether somebody is told of trouble. It
  changes nothing and pays nothing. The end is 0 where nothing is wrong, else 1. --json: a line of JSON for each finding.`

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values } = parseArgs({
      args,
      options: { prometheus: { type: 'string' }, json: { type: 'boolean', default: false } },
    })
    if (values.prometheus !== undefined && !httpUrl('').safeParse(values.prometheus).success)
      throw new Misused('--prometheus should be an address, as http:// or https://')
    return values
  })

const order: readonly State[] = ['wrong', 'watch', 'unseen', 'well']

async function doctor(args: string[]): Promise<number> {
  const { prometheus, json } = wishes(args)
  const { checkUp } = await import('../doctor/checkup.ts')
  const findings = await checkUp(environmentOfProcess(), { prometheus })
  for (const finding of findings) console.log(json ? JSON.stringify(finding) : lineOf(finding))
  const counts = order.map(state => [findings.filter(each => each.state === state).length, state] as const)
  if (!json)
    console.log(
      counts
        .filter(([count]) => count > 0)
        .map(([count, state]) => `${count} ${state}`)
        .join(', '),
    )
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0
}

const lineOf = ({ state, part, words }: Diagnosis): string => `${state.padEnd(7)} ${part.padEnd(13)} ${words}`

if (import.meta.main) runCommand(usage, doctor)
