/** `npm run sell -- check FILE`: says everything that is wrong with a file that sells, and what it would sell. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Misused, packageFolder, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run sell -- check FILE [--call]
npm run sell -- schema
npm run sell -- package [FOLDER]

  check    says what is wrong with FILE, with line and column, and what it would sell. --call asks each upstream once, with the
           question of the example, and shows what would be sold. Nothing is paid.
  schema   prints the JSON Schema of such files, for editors
  package  builds the package farebox in FOLDER (data/farebox), as it is published: what code that sells is written against. An
           earlier build there is replaced.`

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { call: { type: 'boolean', default: false } },
    })
    const [verb, file = '', ...more] = positionals
    const { call } = values
    const isFine = { check: file !== '', schema: file === '' && !call, package: !call }[verb ?? '']
    if (!isFine || more.length) throw new Misused(usage)
    return { verb, file, call }
  })

async function main(args: string[]): Promise<void> {
  const { verb, file, call } = wishes(args)
  if (verb === 'package') {
    const { buildPackage } = await import('./sell-package.ts')
    return buildPackage(
      resolve(
        packageFolder(file ? [file] : [], {
          usage,
          usual: 'data/farebox',
          mark: 'services/offer/package/index.js',
        }),
      ),
    )
  }
  const { schemaText } = await import('../sell/schema.ts')
  if (verb === 'schema') return void process.stdout.write(schemaText())
  const { checked } = await import('../sell/check.ts')
  const { environmentOfProcess } = await import('../config/process-environment.ts')
  const { lines, isSound } = await checked(file, { env: environmentOfProcess(), call })
  console.log(lines.join('\n'))
  if (!isSound) process.exitCode = 1
}

if (import.meta.main) runCommand(usage, main)
