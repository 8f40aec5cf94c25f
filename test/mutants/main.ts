/** Changes a file in one small way after the other, and says which of them the named tests do not notice. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Change, changesOf, shuffled } from './changes.ts'
import type { Mutant } from './load.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { many: { type: 'string', default: '30' }, seed: { type: 'string', default: '22' } },
})
const [file, ...tests] = positionals
if (file === undefined || tests.length === 0) {
  process.stderr.write('node test/mutants/main.ts [--many 30] [--seed 22] FILE TEST…\n')
  process.exit(2)
}
const text = readFileSync(file, 'utf8')
const chosen = shuffled(changesOf(text), Number(values.seed))
  .filter(({ isInside }) => isInside)
  .slice(0, Number(values.many))

/** A change may make an endless loop. By then nobody waits for it. */
const longestMs = 300_000

/** The tests' end: 0 if all are green. */
function runWith(mutant: Mutant | undefined): Promise<number | null> {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutants/vitest.config.ts'],
    {
      env: {
        ...process.env,
        MUTANT_TESTS: tests.join(','),
        ...(mutant && { MUTANT: JSON.stringify(mutant) }),
      },
      stdio: 'ignore',
      // Its workers are a group with it, and end with it.
      detached: true,
    },
  )
  const late = setTimeout(() => process.kill(-(child.pid as number), 'SIGKILL'), longestMs)
  return new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('exit', resolve),
  ).finally(() => clearTimeout(late))
}

const told = ({ start, end, to }: Change): string => {
  const line = text.slice(0, start).split('\n').length
  return `${file}:${line}: ${text.slice(start, end)}  =>  ${to}\n`
}

if ((await runWith(undefined)) !== 0) {
  process.stderr.write('The tests are red without any change\n')
  process.exit(1)
}
let lived = 0
for (const { start, end, to, isInside } of chosen) {
  if ((await runWith({ file, start, end, to })) !== 0) continue
  lived++
  process.stdout.write(told({ start, end, to, isInside }))
}
process.stdout.write(`${chosen.length} changes of ${file}: ${lived} lived\n`)
