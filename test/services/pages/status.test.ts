import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { polled } from '../origins/ask.ts'
import { dayMs, openStatus as open, origins, purchase, start } from './opened-status.ts'

const day = (day: string, more: object) => ({
  ...{ source: 'ecb', day, polls: 10, good: 1, late: 0, span: 2 * 86_400, median_ms: 40, slow_ms: 90 },
  ...more,
})

it('counts for how long a promise was kept, and how many polls were good', async () => {
  const { text } = open([day('2026-11-20', { polls: 30 }), day('2026-11-21', { good: 0.5, late: 17_280 })])
  expect(await text()).toMatch(/>ecb<.*>60 s<.*>3 h<.*>90\.00 %<.*>87\.50 %<.*>40 ms \(90\)</)
})

it('counts from the first poll that is known, and rounds down: a source that was late has not kept it whole', async () => {
  const shares = async (late: number, span: number) =>
    />ecb<.*>3 h<\/td><td[^>]*>([^<]*)</s.exec(await open([day('2026-11-21', { late, span })]).text())?.[1]
  expect(await shares(3000, 3000)).toBe('0.00 %')
  // Five minutes of 90 days.
  expect(await shares(300, 90 * 86_400)).toBe('99.99 %')
  expect(await shares(0.001, 90 * 86_400)).toBe('99.99 %')
  expect(await shares(0, 90 * 86_400)).toBe('100.00 %')
  expect(await shares(71, 100)).toBe('29.00 %')
})

it('says how yesterday was', async () => {
  expect(await open([day('2026-11-21', { good: 0.5, late: 7200 })]).text()).toContain(
    'yesterday: 50.00 %, late for 2 h',
  )
  expect(await open([day('2026-11-21', {})]).text()).toContain('yesterday: 100.00 %, never late')
  expect(await open([day('2026-11-20', {})]).text()).toContain('yesterday: not asked')
})

it('shows the store’s last answer while it is away, and says so', async () => {
  const { at, text } = open([day('2026-11-20', {})])
  expect(await text()).not.toContain('The store is away')
  at.isAway = true
  at.now += 2 * 60_000
  expect(await text()).toMatch(/The store is away: the history is what it said last.*>100\.00 %</s)
})

it('waits two seconds for a hanging store, and has its answer for the next one who asks', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const late = Promise.withResolvers<object[]>()
  const { text } = open(late.promise)
  const first = text()
  await vi.advanceTimersByTimeAsync(2000)
  expect(await first).toContain('The store is away')
  late.resolve([day('2026-11-20', {})])
  expect(await text()).toMatch(/100\.00 %/)
})

it('works without any history', async () => {
  const { at, text } = open([])
  at.isAway = true
  expect(await text()).toMatch(/The store is away: the history is not known.*>ecb</s)
})

it('shows what the canary bought last, with links to the explorer of the network that is sold on', async () => {
  const failed = { reason: '<b>not there</b>', payment_tx: null }
  const bought = [
    ...[purchase(1, {}), purchase(2, { network: 'solana', payment_tx: 'sig' })],
    purchase(3, { ...failed, state: 'failed', failed_step: 'chain' }),
  ]
  const text = await open([], bought, ['base-sepolia', 'solana']).text()
  expect(text).toContain(`href="https://sepolia.basescan.org/tx/0x${'ab'.repeat(32)}"`)
  expect(text).toContain('href="https://solscan.io/tx/sig"')
  expect(text).toContain('at chain: &lt;b&gt;not there&lt;/b&gt;')
  // No explorer knows a chain of play money.
  expect(await open([], bought).text()).not.toContain('basescan')
  expect(await open([]).text()).not.toContain('canary')
})

it('says of a source that nobody asks any more that it was switched off', async () => {
  const { shelf, text } = open([])
  expect(await text()).not.toContain('not asked any more')
  polled(shelf, 'faa', start - 6 * dayMs)
  expect(await text()).toMatch(/>faa<.*>not asked any more</s)
})

describe('incidents', () => {
  const began = Date.parse('2026-11-21T05:59:00Z') / 1000
  const over = { source: 'ecb', began, ended: began + 7200, failed: 2, error: '<502>', refused: [] }
  const lasting = { source: 'faa', began: began + 60, ended: null, failed: 0, error: null, refused: [] }

  it('are told in words, with what failed and why', async () => {
    const text = await open([], [], [], [lasting, over]).text()
    expect(text).toContain('ecb was late for 2 h</a></h3><p>From 2026-11-21 05:59 to 2026-11-21 07:59 UTC')
    expect(text).toContain('2 polls failed, the last one: &lt;502&gt;.')
    expect(text).toContain('faa has been late for 18 h</a></h3>')
    expect(text).toContain('No poll failed: none was made')
    expect(await open([]).text()).toContain('No source was late within 90 days.')
  })

  it('are a feed, in which an incident stays one when it ends', async () => {
    const ask = async (late: object[]) => {
      const { feed } = open([], [], [], late)
      return String((await feed?.answer({ accept: '', path: '/status.rss', query: {}, origins }))?.body)
    }
    const guid = `<guid isPermaLink="false">https://farebox.example/status#late-ecb-${began}</guid>`
    const text = await ask([over])
    for (const part of [guid, '<pubDate>Sat, 21 Nov 2026 05:59:00 GMT</pubDate>', '&lt;502&gt;'])
      expect(text).toContain(part)
    expect(await ask([{ ...over, ended: null }])).toContain(guid)
    // An upstream has written it.
    expect(await ask([{ ...over, error: 'a\u0000\u001b[31mb\ud800' }])).toContain('a  [31mb\ufffd.')
    expect(await ask([{ ...over, error: 'a\ufffeb\uffffc' }])).toContain('a b c.')
  })

  it('say of a source that was never good, or is asked no more, just that', async () => {
    const never = { ...lasting, never: true }
    const text = await open([], [], [], [never, { ...over, off: true }]).text()
    expect(text).toContain('to now UTC it had no good poll at all.')
    expect(text).toContain('it counts as switched off: nobody asks it any more')
  })

  it('are not known while the store is away: the feed says so', async () => {
    const { at, feed } = open([])
    at.isAway = true
    await expect(feed?.answer({ accept: '', path: '', query: {}, origins })).rejects.toThrow('store is away')
  })
})
