/** `npm run sell -- check FILE`: says everything that is wrong with a file that sells, and what it would sell. */
import { parseArgs } from 'node:util'
import { Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run sell -- check FILE [--call]
npm run sell -- schema

  check   says what is wrong with FILE, with line and column, and what it would sell. --call asks each upstream once, with the
          question of the example, and shows what would be sold. Nothing is paid.
  schema  prints the JSON Schema of such files, for editors`

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { call: { type: 'boolean', default: false } },
    })
    const [verb, file, ...more] = positionals
    if (verb === 'schema' && file === undefined && !values.call)
      return { verb, file: '', call: false } as const
    if (verb !== 'check' || !file || more.length) throw new Misused(usage)
    return { verb, file, call: values.call } as const
  })

async function main(args: string[]): Promise<void> {
  const { verb, file, call } = wishes(args)
  const { schemaText } = await import('../sell/schema.ts')
  if (verb === 'schema') return void process.stdout.write(schemaText())
  const { checked } = await import('../sell/check.ts')
  const { environmentOfProcess } = await import('../config/process-environment.ts')
  const { lines, isSound } = await checked(file, { env: environmentOfProcess(), call })
  console.log(lines.join('\n'))
  if (!isSound) process.exitCode = 1
}

if (import.meta.main) runCommand(usage, main)
