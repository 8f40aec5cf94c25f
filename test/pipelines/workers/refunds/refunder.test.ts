/** What becomes of orders, on a real log and a chain that keeps its word. The real chains: services/sandbox/refunds.process.test.ts. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type {
  RefundChain,
  RefundEnd,
  SalePayment,
  Tries,
} from '../../../../pipelines/domains/payments/refund.ts'
import { entryOf, type Log } from '../../../../pipelines/rails/log/log.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { logVariables } from '../../../../pipelines/rails/log/variables.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import type { Store } from '../../../../pipelines/rails/store/store.ts'
import { RefundBook } from '../../../../pipelines/workers/refunds/book.ts'
import { followCorrected } from '../../../../pipelines/workers/refunds/corrected.ts'
import { leaveOrder, ordersIn } from '../../../../pipelines/workers/refunds/orders.ts'
import { Refunder } from '../../../../pipelines/workers/refunds/refunder.ts'
import type { RefundRule } from '../../../../pipelines/workers/refunds/rules.ts'
import { refunding, startRefunds } from '../../../../pipelines/workers/refunds/worker.ts'
import { readEvent } from '../../../../schemas/dataset/dataset.ts'
import { type RefundStep, refunds } from '../../../../schemas/refunds.ts'
import { salesCorrected } from '../../../../schemas/sales-corrected.ts'
import { type SettlementEvent, settlements } from '../../../../schemas/settlements.ts'
import { settlement } from '../../../schemas/settlement.ts'
import { scratchFolder } from '../../../scratch.ts'
import { until } from '../../../until.ts'

const payTo = `0x${'aa'.repeat(20)}`
const day = Date.parse('2026-11-23T10:00:00.000Z')
const row = {
  ...{ network: 'base', amount: '0.002', payer: `0x${'bb'.repeat(20)}`, pay_to: payTo },
  ...{ tx: `0x${'cc'.repeat(32)}`, position: 3, last: 'confirmed', taken: '', standing: '' },
}

/** A chain as it lasts beyond a process: the transfers that it has taken. */
function aChain() {
  const landed = new Set<string>()
  const chain = {
    address: `0x${'dd'.repeat(20)}`,
    sent: [] as string[],
    asked: [] as Tries[],
    takes: true,
    says: { position: 3 } as SalePayment,
    isDead: false,
    tries: 0,
    payments: 0,
    isFinal: false,
    fee: '0.000001',
    /** What an earlier process has paid, and its log has forgotten. */
    landed: undefined as string | undefined,
  }
  const refund: RefundChain = {
    address: chain.address,
    payment: async () => {
      chain.payments++
      return chain.says
    },
    prepare: async ({ payer, amount, tx }) =>
      chain.landed
        ? { landed: chain.landed }
        : {
            ...{ network: 'eip155:8453', from: chain.address, to: payer, value: String(amount) },
            ...{ nonce: `${tx} ${chain.tries++}`, valid_before: 1 },
          },
    send: async trace => {
      const { nonce } = trace as { nonce: string }
      chain.sent.push(nonce)
      if (chain.takes) landed.add(nonce)
    },
    endOf: async (trace, tries): Promise<RefundEnd> => {
      chain.asked.push(tries)
      const { nonce } = trace as { nonce: string }
      if (landed.has(nonce)) return { tx: `0x${'ee'.repeat(32)}` }
      return chain.isDead ? 'dead' : 'open'
    },
    isFinal: async () => chain.isFinal,
    feeOf: async () => chain.fee,
  }
  return { chain, refund, landed }
}

async function aDesk(rows: Record<string, (typeof row)[]> = { sold: [row] }) {
  const folder = scratchFolder()
  const world = aChain()
  const log = await openLog(`sqlite:${folder}/log.db`, { topics: [refunds.topic] })
  onTestFinished(() => log.close())
  const store = { query: async (_: string, { id }: { id: string }) => rows[id] ?? [] } as unknown as Store
  const clock = { now: day }
  const steps: RefundStep[] = []

  /** As a new process: it knows what the log holds. */
  async function begin(aDay = 10_000_000n, rules: RefundRule[] = []) {
    const book = new RefundBook()
    const watching = await log.watch(refunds.topic, batch => {
      for (const { value } of batch) {
        const { event } = readEvent(refunds, value ?? '')
        if (!event) throw new Error('a step that nobody reads')
        book.take(event)
        steps.push(event)
      }
    })
    await watching.caughtUp
    onTestFinished(() => watching.close())
    const refunder = new Refunder({
      ...{ log, book, aDay, rules, signerKey: undefined, store: async () => store },
      chains: new Map([['base', { name: 'base' as const, chain: world.refund, payTo }]]),
      caughtUp: async () => watching.reached(await log.end(refunds.topic)),
      now: () => clock.now,
      onFailed: (_, error) => {
        if (!/it waits/.test((error as Error).message)) throw error
      },
    })
    const work = async (rounds = 1) => {
      for (let i = 0; i < rounds; i++) {
        await refunder.work(new AbortController().signal)
        clock.now += 5000
      }
    }
    const stateOf = (id: string) => book.of(id)?.state
    return { refunder, work, book, stateOf }
  }
  return { begin, ...world, clock, steps, folder }
}

describe('a refund', () => {
  it('is in the log before it is sent, and is paid once', async () => {
    const { begin, chain, steps } = await aDesk()
    const { refunder, work, stateOf } = await begin()
    await refunder.order('sold', 'command', 'late')
    await refunder.order('sold', 'command', null)
    await work(3)
    expect(stateOf('sold')).toBe('paid')
    await refunder.order('sold', 'command', null)
    await work(3)
    expect(chain.sent).toHaveLength(1)
    expect(steps.map(({ step }) => step)).toEqual(['ordered', 'intended', 'paid'])
    expect(steps.at(-1)).toMatchObject({ amount_usdc: '0.002', payer: row.payer, payment_tx: row.tx })
  })

  it('is found on the chain by a process that began after the other was killed behind its send', async () => {
    const { begin, chain, landed } = await aDesk()
    const killed = await begin()
    await killed.refunder.order('sold', 'command', null)
    await killed.work()
    expect(landed.size).toBe(1)
    const next = await begin()
    await next.work(2)
    expect(next.stateOf('sold')).toBe('paid')
    expect(chain.sent).toHaveLength(1)
  })

  it('has another try only after the chain has shown that the last one is dead', async () => {
    const { begin, chain, landed } = await aDesk()
    chain.takes = false
    const { refunder, work, stateOf } = await begin()
    await refunder.order('sold', 'command', null)
    await work(5)
    expect([stateOf('sold'), new Set(chain.sent).size]).toEqual(['intended', 1])
    ;[chain.isDead, chain.takes] = [true, true]
    await work(1)
    chain.isDead = false
    await work(3)
    expect([stateOf('sold'), new Set(chain.sent).size, landed.size]).toEqual(['paid', 2, 1])
    // The second try is young, however old the first one is: a young one is never called dead for its age.
    const [first, last] = [chain.asked[0], chain.asked.at(-1)]
    expect(last?.firstMs).toBe(first?.firstMs)
    expect(last?.thisMs).toBeGreaterThan(first?.thisMs ?? Number.NaN)
  })

  it('of several tries that two processes write at once, one is sent', async () => {
    const { begin, chain } = await aDesk()
    const [one, other] = [await begin(), await begin()]
    await one.refunder.order('sold', 'command', null)
    await until(() => other.stateOf('sold') === 'ordered', 'the order')
    await Promise.all([one.work(), other.work()])
    await Promise.all([one.work(2), other.work(2)])
    expect(new Set(chain.sent).size).toBe(1)
    expect([one.stateOf('sold'), other.stateOf('sold')]).toEqual(['paid', 'paid'])
  })

  it('waits for a day with room', async () => {
    const other = { ...row, tx: `0x${'c0'.repeat(32)}` }
    const { begin, chain, clock } = await aDesk({ sold: [row], also: [other] })
    const { refunder, work, stateOf } = await begin(3000n)
    const before = await counted()
    for (const id of ['sold', 'also']) await refunder.order(id, 'command', null)
    await work(3)
    expect([stateOf('sold'), stateOf('also'), chain.sent.length]).toEqual(['paid', 'ordered', 1])
    expect(['sold', 'also'].map(id => refunder.limitOf(id))).toEqual([undefined, 'day_spent'])
    const after = await counted()
    const steps = ['none ordered', 'base intended', 'base sent', 'base paid']
    expect(steps.map(name => (after[name] ?? 0) - (before[name] ?? 0))).toEqual([2, 1, 1, 1])
    clock.now += 24 * 60 * 60_000
    await work(3)
    expect(stateOf('also')).toBe('paid')
  })

  it('by a rule is paid within the bounds of the rule: of a day, and of a payer', async () => {
    const sales = ['a', 'b', 'c', 'd'].map((name, i) => {
      const payer = i === 1 ? row.payer : `0x${name.repeat(40)}`
      return [name, [{ ...row, payer: i ? payer : row.payer, tx: `0x${name.repeat(64)}` }]] as const
    })
    const { begin } = await aDesk(Object.fromEntries(sales.map(([name, rows]) => [name, [...rows]])))
    const { refunder, work, stateOf } = await begin(10_000_000n, [rule])
    for (const [name] of sales) await refunder.orderByRule(name, 'undelivered', 'late')
    await work(4)
    // b has the payer of a, and d would be the third of 2000 atoms out of 5000.
    expect(sales.map(([name]) => stateOf(name))).toEqual(['paid', 'ordered', 'paid', 'ordered'])
    const limits = [undefined, 'payer_spent', undefined, 'rule_spent']
    expect(sales.map(([name]) => refunder.limitOf(name))).toEqual(limits)
    // What an operator orders is bound by the whole day alone.
    await refunder.order('e', 'command', null)
    const next = await begin(10_000_000n, [])
    await next.work(2)
    expect(next.stateOf('b')).toBe('ordered')
  })

  it('by a rule waits for a store that is behind, and stands behind what an operator orders', async () => {
    const rows: Record<string, (typeof row)[]> = {}
    const { begin, clock } = await aDesk(rows)
    const { refunder, work, stateOf } = await begin(10_000_000n, [rule])
    for (let i = 0; i < 30; i++) await refunder.orderByRule(`rule-${i}`, 'undelivered', 'late')
    await work(2)
    clock.now += 120_000
    rows.sold = [row]
    await refunder.order('sold', 'command', null)
    await work(2)
    expect([stateOf('rule-0'), stateOf('sold')]).toEqual(['ordered', 'paid'])
    rows['rule-29'] = [{ ...row, tx: `0x${'c1'.repeat(32)}` }]
    await work(4)
    expect(stateOf('rule-29')).toBe('paid')
  })

  it('asks no node of what waits for another day, and gives no payment up that a node does not show once', async () => {
    const also = [{ ...row, tx: `0x${'c0'.repeat(32)}` }]
    const { begin, chain, clock } = await aDesk({ sold: [row], also })
    const { refunder, work, stateOf } = await begin(3000n)
    for (const id of ['sold', 'also']) await refunder.order(id, 'command', null)
    await work(3)
    const payments = chain.payments
    await work(100)
    expect([chain.payments, stateOf('also')]).toEqual([payments, 'ordered'])
    clock.now += 24 * 60 * 60_000
    chain.says = 'pending'
    await work(2)
    expect(stateOf('also')).toBe('ordered')
    chain.says = { position: 3 }
    await work(2)
    expect(stateOf('also')).toBe('paid')
  })

  it('of a payment that no node shows for two hours is refused', async () => {
    const { begin, chain, clock } = await aDesk()
    const { refunder, work, stateOf } = await begin()
    chain.says = 'pending'
    await refunder.order('sold', 'command', null)
    await work(2)
    clock.now += 2 * 60 * 60_000
    await work(1)
    expect(stateOf('sold')).toBe('refused')
  })

  it('waits while the payment is not final', async () => {
    const { begin, chain } = await aDesk()
    const { refunder, work, stateOf } = await begin()
    chain.says = 'pending'
    await refunder.order('sold', 'command', null)
    await work(2)
    expect(stateOf('sold')).toBe('ordered')
    chain.says = { position: 3 }
    await work(2)
    expect(stateOf('sold')).toBe('paid')
  })

  it.each([
    ['a payment that the chain does not show', [row], 'unpaid', /shows no such payment/],
    ['a payment that the chain denies', [{ ...row, last: 'refuted' }], undefined, /denies/],
    ['what its chain has lost', [{ ...row, taken: 'lost' }], undefined, /taken the payment back/],
    ['a network without a key', [{ ...row, network: 'solana' }], undefined, /no key/],
    ['a request of several sales', [row, row], undefined, /several sales/],
  ] as const)('refuses %s, and sends nothing', async (_, rows, says, why) => {
    const { begin, chain, steps } = await aDesk({ sold: [...rows] })
    const { refunder, work, stateOf } = await begin()
    if (says) chain.says = says
    await refunder.order('sold', 'command', null)
    await work(2)
    expect([stateOf('sold'), chain.sent]).toEqual(['refused', []])
    expect(steps.at(-1)?.reason).toMatch(why)
  })

  it('is final once no reorganisation takes it back, and is paid anew where one does', async () => {
    const { begin, chain, clock, landed, steps } = await aDesk()
    const { refunder, work, stateOf } = await begin()
    await refunder.order('sold', 'command', null)
    await work(2)
    expect(stateOf('sold')).toBe('paid')
    landed.clear()
    chain.isDead = true
    clock.now += 60_000
    await work(1)
    expect([stateOf('sold'), steps.at(-1)?.reason]).toEqual(['ordered', 'its chain has taken it back'])
    chain.isDead = false
    await work(3)
    chain.isFinal = true
    clock.now += 60_000
    await work(2)
    expect([stateOf('sold'), landed.size]).toEqual(['final', 1])
    expect(steps.filter(({ step }) => step === 'final')).toHaveLength(1)
    await work(3)
    expect(steps.at(-1)?.step).toBe('final')
  })

  it.each([
    ['0.000001', '0.000001'],
    ['-5', null],
    ['9'.repeat(40), null],
  ])('has cost %s by its node, and in the books %s', async (fee, told) => {
    const { begin, chain, clock, steps } = await aDesk()
    const { refunder, work } = await begin()
    chain.fee = fee
    await refunder.order('sold', 'command', null)
    await work(2)
    chain.isFinal = true
    clock.now += 60_000
    await work(2)
    expect(steps.at(-1)).toMatchObject({ step: 'final', fee_coins: told })
  })

  it('that an earlier log had paid is found on the chain, and is not sent', async () => {
    const { begin, chain, steps } = await aDesk()
    chain.landed = `0x${'fa'.repeat(32)}`
    const { refunder, work, stateOf } = await begin()
    await refunder.order('sold', 'command', null)
    await work(3)
    expect([stateOf('sold'), chain.sent]).toEqual(['paid', []])
    expect(steps.at(-1)).toMatchObject({ step: 'paid', refund_tx: chain.landed })
    const next = await begin()
    chain.isFinal = true
    await next.work(2)
    expect(next.stateOf('sold')).toBe('final')
  })

  it('counts on the day on which it was intended, though it is sent on the next', async () => {
    const also = [{ ...row, tx: `0x${'c0'.repeat(32)}` }]
    const { begin, chain, clock } = await aDesk({ sold: [row], also })
    clock.now = Date.parse('2026-11-23T23:59:58.000Z')
    chain.takes = false
    const { refunder, work, stateOf, book } = await begin(3000n)
    await refunder.order('sold', 'command', null)
    await work(1)
    chain.takes = true
    const next = await begin(3000n)
    await next.work(3)
    expect(next.stateOf('sold')).toBe('paid')
    expect([book.spentOn('2026-11-23').count, book.spentOn('2026-11-24').count]).toEqual([1, 0])
    await refunder.order('also', 'command', null)
    await work(3)
    expect(stateOf('also')).toBe('paid')
  })

  it('of a sale to another payee is the word of an operator, or of a rule that names the payee', async () => {
    const others = [{ ...row, pay_to: `0x${'99'.repeat(20)}` }]
    const { begin } = await aDesk({ sold: others, ruled: others })
    const { refunder, work, stateOf } = await begin(10_000_000n, [rule])
    await refunder.orderByRule('ruled', 'undelivered', 'late')
    await work(2)
    expect(stateOf('ruled')).toBe('refused')
    await refunder.order('sold', 'command', null)
    await work(2)
    expect(stateOf('sold')).toBe('paid')
    const named = await aDesk({ ruled: others })
    const next = await named.begin(10_000_000n, [{ ...rule, payees: [`0x${'99'.repeat(20)}`] }])
    await next.refunder.orderByRule('ruled', 'undelivered', 'late')
    await next.work(2)
    expect(next.stateOf('ruled')).toBe('paid')
  })

  it('of a sale that was settled again goes by the transaction that stands', async () => {
    const standing = `0x${'5a'.repeat(32)}`
    const { begin, steps } = await aDesk({ sold: [{ ...row, taken: 'settled_again', standing }] })
    const { refunder, work } = await begin()
    await refunder.order('sold', 'command', null)
    await work(2)
    expect(steps.at(-1)).toMatchObject({ step: 'paid', payment_tx: standing })
  })

  it('refuses two requests one payment, and a request that sold nothing after a minute', async () => {
    const { begin, chain, clock, steps } = await aDesk({ sold: [row], twin: [row] })
    const { refunder, work, stateOf } = await begin()
    for (const id of ['sold', 'twin', 'none']) await refunder.order(id, 'command', null)
    await work(3)
    expect([stateOf('sold'), stateOf('twin'), stateOf('none')]).toEqual(['paid', 'refused', 'ordered'])
    clock.now += 61_000
    await work()
    expect([stateOf('none'), chain.sent.length]).toEqual(['refused', 1])
    expect(steps.at(-1)?.reason).toBe('no sale has this request')
    // An operator may order it again.
    await refunder.order('none', 'command', null)
    expect(stateOf('none')).toBe('ordered')
  })
})

/** What was counted so far, by network and step. */
async function counted(): Promise<Record<string, number>> {
  const { values } = await metrics.refundSteps.get()
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels.network} ${labels.step}`, value]))
}

function stepsIn(log: Log) {
  const steps: RefundStep[] = []
  const watching = log.watch(refunds.topic, batch => {
    for (const { value } of batch) steps.push(JSON.parse(value ?? ''))
  })
  onTestFinished(async () => (await watching).close())
  return steps
}

const rule: RefundRule = {
  ...{ because: 'undelivered', since: '2026-11-23', operations: ['exchangeRate'] },
  ...{ usdc_a_day: 5000n, a_payer_a_day: 1 },
}

it('the rule for corrected facts orders the sale that a payer has shown, once, and none that nobody can name', async () => {
  const folder = scratchFolder()
  const topics = [refunds.topic, settlements.topic, salesCorrected.topic]
  const log = await openLog(`sqlite:${folder}/log.db`, { topics })
  onTestFinished(() => log.close())
  const rows: Record<string, object[]> = {
    own: [{ request_id: 'sold', day: '2026-11-23' }],
    two: [
      { request_id: 'one', day: '2026-11-23' },
      { request_id: 'other', day: '2026-11-23' },
    ],
    old: [{ request_id: 'old', day: '2026-11-22' }],
    last: [{ request_id: 'last', day: '2026-11-23' }],
  }
  const ordered: unknown[] = []
  const failed: string[] = []
  const following = await followCorrected({
    log,
    store: async () => ({ query: async (_: string, { tx }: { tx: string }) => rows[tx] ?? [] }) as never,
    refunder: { orderByRule: async (...order) => void ordered.push(order.slice(0, 2)) },
    rules: [{ ...rule, because: 'corrected' }],
    group: 'refunds',
    onFailed: (_, error) => failed.push((error as Error).message),
  })
  onTestFinished(() => following?.close())
  const shown = (payment_tx: string, operation = 'exchangeRate') => ({
    ...{ network: 'base' as const, payment_tx, payer: row.payer, operation },
    ...{ issued_at: '2026-11-23T10:00:00.000Z', at: '2026-11-24T10:00:00.000Z' },
  })
  const sales = [
    shown('two'),
    shown('none'),
    shown('old'),
    shown('own', 'secFinancials'),
    shown('own'),
    shown('last'),
  ]
  await log.append(
    salesCorrected.topic,
    sales.map(sale => entryOf(salesCorrected, sale)),
  )
  await until(() => ordered.length === 2, 'the orders')
  expect(ordered).toEqual([
    ['sold', 'corrected'],
    ['last', 'corrected'],
  ])
  expect(failed).toEqual([
    expect.stringContaining('several sales'),
    expect.stringContaining('not got the sale'),
  ])
  expect(await followCorrected({ rules: [rule] } as never)).toBeUndefined()
})

it('the worker takes the orders that lie beside the log, and those of its rules', async () => {
  const { folder, begin } = await aDesk()
  const log = await openLog(`sqlite:${folder}/own.db`, { topics: [refunds.topic, settlements.topic] })
  onTestFinished(() => log.close())
  const file = `${folder}/own.db`
  leaveOrder(file, { requestId: 'no-key', reason: 'late' })
  expect(ordersIn(file)).toEqual([{ requestId: 'no-key', reason: 'late' }])
  const store = async () => ({ query: async () => [row] }) as unknown as Store
  const read = ((variables: unknown) =>
    variables === logVariables ? `sqlite:${file}` : { keys: [], aDay: 1n, rules: [rule] }) as never
  const running = await startRefunds({ log, store, read, now: Date.now, onFailed: () => {} })
  await until(() => ordersIn(file).length === 0, 'the order')
  const steps = stepsIn(log)
  const unfetched = (more: Partial<SettlementEvent>) =>
    settlement('one', { state: 'undelivered', at: '2026-11-23T10:00:00.000Z', ...more })
  await log.append(
    settlements.topic,
    [
      unfetched({ at: '2026-11-22T10:00:00.000Z', request_id: 'before' }),
      unfetched({ operation: 'ipLookup', request_id: 'another' }),
      unfetched({ state: 'settled', request_id: 'fetched' }),
      unfetched({ request_id: 'unfetched' }),
      unfetched({ request_id: 'unfetched' }),
    ].map(event => entryOf(settlements, event)),
  )
  await until(
    () => steps.some(({ request_id, step }) => request_id === 'unfetched' && step === 'refused'),
    'its end',
  )
  await running.close()
  expect(steps.filter(({ step }) => step === 'ordered').map(one => [one.request_id, one.cause])).toEqual([
    ['no-key', 'command'],
    ['unfetched', 'undelivered'],
  ])
  expect(refunding.role).toBe('ingest')
  expect(await begin()).toBeDefined()
})
