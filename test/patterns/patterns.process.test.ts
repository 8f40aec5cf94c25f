import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { judge } from './judge.ts'
import { readSource } from './source.ts'

const faultOf = async (source: string, flags = '') =>
  (await judge([{ file: 'a.ts', source, flags }], true))[0]?.fault

describe('a regular expression', () => {
  it.each(['^(a+)+$', '\\s+$', '<a[^>]*>', '[.\\s]*$', 'a.*b.*c.*d'])('%s is not safe', async source => {
    expect(await faultOf(source)).toMatch(/polynomial|exponential/)
  })

  it.each(['^a+$', '<a[^<>]*>', '(?<=://)[^/]+', '^[0-9a-f]{64}$'])('%s is safe', async source => {
    expect(await faultOf(source)).toBeUndefined()
  })
})

it('is found wherever it stands, also where it is made of parts', () => {
  const { literals, making } = readSource()
  expect(literals).toContainEqual({ file: 'services/config/hosts-only.ts', source: '[/?#]', flags: '' })
  expect(making).toContain('pipelines/sources/faa/notam.ts')
  // In a process of its own: here another test may have loaded the file before.
  const script = `import { made } from './test/patterns/source.ts'
    console.log(JSON.stringify(await made(['schemas/values/unicode.ts'])))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(JSON.parse(stdout)).toMatchObject([{ source: '(\\p{M}{30})\\p{M}+' }])
})

it.runIf(process.env.LONG_FORM)('each is judged anew', () => {
  const { status, stderr } = spawnSync(process.execPath, ['test/patterns/check.ts', '--anew'], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
