import { describe, expect, it } from 'vitest'
import type { PublicFetch, Visited } from '../../../../../pipelines/rails/outside/fetching/visit.ts'
import { VisitFailed } from '../../../../../pipelines/rails/outside/fetching/visit-failures.ts'
import { openRobots } from '../../../../../pipelines/rails/outside/pages/robots.ts'
import { allows, mostBytes, readRules } from '../../../../../pipelines/rails/outside/pages/robots-rules.ts'

const rulesOf = (text: string) => readRules(Buffer.from(text), 'Farebox')
const ofUs = (...lines: string[]) => ['User-agent: Farebox', ...lines].join('\n')

describe('a robots.txt', () => {
  it.each<[what: string, file: string, path: string, allowed: boolean]>([
    ['empty', '', '/a', true],
    ['of others', 'User-agent: *\nDisallow: /', '/a', true],
    ['of an agent whose name begins like ours', 'User-agent: Farebox-News\nDisallow: /', '/a', true],
    ['of ours', ofUs('Disallow: /a'), '/a/b', false],
    ['of ours, for other paths', ofUs('Disallow: /a'), '/b', true],
    ['of ours with a version', 'user-agent:farebox/1.0\ndisallow:/', '/', false],
    ['of ours in capitals, with a comment', 'USER-AGENT: FAREBOX # us\nDISALLOW: / # all', '/x', false],
    ['of ours among others', 'User-agent: a\nUser-agent: Farebox\nUser-agent: b\nDisallow: /', '/', false],
    ['of two groups of ours', ofUs('Disallow: /a', ofUs('Disallow: /b')), '/a', false],
    ['of ours before another', ofUs('Disallow: /a', 'User-agent: b', 'Disallow: /'), '/b', true],
    ['with a sitemap inside', 'User-agent: Farebox\nSitemap: x\nUser-agent: b\nDisallow: /', '/', false],
    ['with an empty rule', ofUs('Disallow:'), '/a', true],
    ['whose longest rule allows', ofUs('Disallow: /', 'Allow: /shop'), '/shop/1', true],
    ['whose longest rule disallows', ofUs('Allow: /shop', 'Disallow: /shop/1'), '/shop/1', false],
    ['with two of one length', ofUs('Disallow: /a', 'Allow: /a'), '/a', true],
    ['with any text inside', ofUs('Disallow: /*.php'), '/a/b.php?q', false],
    ['with any text at the end', ofUs('Disallow: /a*'), '/a', false],
    ['with parts out of order', ofUs('Disallow: /*b*a'), '/ab', true],
    ['with an end', ofUs('Disallow: /*.php$'), '/a.php', false],
    ['with an end that is not the end', ofUs('Disallow: /*.php$'), '/a.php5', true],
    ['with an end that the part before has used', ofUs('Disallow: /ab*ba$'), '/aba', true],
    ['of an exact path', ofUs('Disallow: /a$'), '/ab', true],
    ['of a question', ofUs('Disallow: /*?q='), '/a?q=1', false],
    ['of letters as they are', ofUs('Disallow: /fähre'), '/f%C3%A4hre', false],
    ['of letters behind signs', ofUs('Disallow: /f%c3%a4hre'), '/f%C3%A4hre', false],
    ['of letters that need no sign', ofUs('Disallow: /foo/bar/%62%61%7A'), '/foo/bar/baz', false],
    ['of a star that is meant', ofUs('Disallow: /a%2Ab'), '/a*b', false],
    ['of a dollar inside', ofUs('Disallow: /a$b'), '/a$b', false],
    ['with a mark at its beginning', `\uFEFF${ofUs('Disallow: /')}`, '/', false],
    ['of Windows', ofUs('Disallow: /a').replaceAll('\n', '\r\n'), '/a', false],
    ['of an old Mac', ofUs('Disallow: /a').replaceAll('\n', '\r'), '/a', false],
    ['that is no text', '\u0000\ufffd:\u0001'.repeat(1_000), '/a', true],
  ])('%s', async (_, file, path, allowed) => {
    expect(await allows(await rulesOf(file), path)).toBe(allowed)
  })

  it('with more rules for us than we keep disallows the whole site', async () => {
    const rules = await rulesOf(ofUs(...Array.from({ length: 5_000 }, (_, i) => `Disallow: /${i}`)))
    expect(rules.bytes).toBeLessThanOrEqual(mostBytes)
    expect(await allows(rules, '/elsewhere')).toBe(false)
  })

  it('lets other work have its turn while it is read, and during questions', async () => {
    expect(await turnsDuring(() => readRules(Buffer.alloc(512 << 10, '\n'), 'Farebox'))).toBeGreaterThan(20)
    const costly = await rulesOf(ofUs(...Array(100).fill(`Disallow: /*${'a'.repeat(250)}b`)))
    expect(await turnsDuring(() => allows(costly, `/${'a'.repeat(18_000)}`))).toBeGreaterThan(20)
  })
})

async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

describe('the rules of many sites', () => {
  const hour = 60 * 60_000
  function opened(answer: (url: URL) => Partial<Visited>) {
    const clock = { now: 0 }
    const visited: string[] = []
    const visit: PublicFetch['visit'] = async url => {
      visited.push(new URL(url).origin)
      return { status: 200, bytes: Buffer.alloc(0), ...answer(new URL(url)) } as Visited
    }
    return { robots: openRobots({ visit }, () => clock.now), clock, visited }
  }

  it('are read once a day, and again soon after a failure', async () => {
    const { robots, clock, visited } = opened(({ hostname }) => {
      if (hostname === 'down.sample') throw new VisitFailed('connection', 'down')
      return { status: hostname === 'ill.sample' ? 503 : 200 }
    })
    for (const at of [0, 1, 23, 25]) {
      clock.now = at * hour
      for (const host of ['well', 'ill', 'down'])
        expect(await robots.allows(new URL(`http://${host}.sample/`))).toBe(true)
    }
    const times = (host: string) => visited.filter(origin => origin === `http://${host}.sample`).length
    expect([times('well'), times('ill'), times('down')]).toEqual([2, 4, 4])
  })

  it('take bounded memory: nothing for a file that does not name us, and the oldest makes room', async () => {
    const others = Buffer.from(`User-agent: *\n${'Disallow: /x\n'.repeat(30_000)}`)
    const ours = Buffer.from(ofUs(...Array(500).fill(`Disallow: /${'y'.repeat(60)}`)))
    const { robots, visited } = opened(({ hostname }) => ({
      bytes: hostname.startsWith('o') ? others : ours,
    }))
    const ask = (host: string) => robots.allows(new URL(`http://${host}.sample/`))
    for (let i = 0; i < 20; i++) await ask(`o${i}`)
    expect(robots.bytes).toBe(0)
    for (let i = 0; i < 160; i++) await ask(`u${i}`)
    expect(robots.bytes).toBeGreaterThan(7 << 20)
    expect(robots.bytes).toBeLessThanOrEqual(8 << 20)
    await ask('u0')
    await ask('u159')
    expect(visited.filter(origin => origin === 'http://u0.sample')).toHaveLength(2)
    expect(visited.filter(origin => origin === 'http://u159.sample')).toHaveLength(1)
  })
})
