/** Newcomers: one knows nothing but /llms.txt, one has a browser, and one has common tools for OpenAPI. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { Browser, Page, Route } from 'playwright-core'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { networkId } from '../../../services/client/networks.ts'
import { type Offer, type Quote, quoteIn } from '../../../services/client/quote.ts'
import { signed } from '../../../services/client/wallet.ts'
import { data } from '../../../services/origins/data/origin.ts'
import { origins } from '../../../services/origins/index.ts'
import { weighSubscribe } from '../../../services/origins/watch/weigh/subscribe.ts'
import { toolName } from '../../../services/query/mcp/tools.ts'
import { signedMessage } from '../../../services/sandbox/weigh.ts'
import { lookRules, openBrowser, pagePatienceMs, whatAxeFinds } from '../../browser.ts'
import { noBrowser } from '../../browser-folder.ts'
import { until } from '../../until.ts'
import { clientOf } from '../query/mcp/connected.ts'
import { injectWallets } from './injected-wallets.ts'
import { journeys } from './journeys.ts'
import { mappedPaths, missedPath, ofEachKind, shiftOf, whatIsCut, widths } from './looks.ts'
import { differingFromKept, mostDiffering } from './pictures.ts'
import { refusals } from './refusals.ts'
import { evmKey, type RunningSandbox, runSandbox, solanaKey } from './running.ts'
import { showSellersPage } from './sellers-page.ts'

const payer = new x402Client()
  .setSpendControls(false)
  .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(evmKey)))
const pay = wrapFetchWithPayment(fetch, payer)

const isLong = process.env.LONG_FORM !== undefined

let sandbox: RunningSandbox
beforeAll(async () => {
  sandbox = await runSandbox()
  // The first release of the market is built after the sandbox has opened. Pages have no limit; operations have one.
  await until(
    async () => (await fetch(`${sandbox.url}/market`)).ok,
    'the first release of the market',
    60_000,
  )
})
afterAll(() => sandbox?.stop())

it('calls and pays every operation that /llms.txt names', async () => {
  const text = await (await fetch(`${sandbox.url}/llms.txt`)).text()
  const named = [...text.matchAll(/^### (\w+) (\S+) \((.+)\)$/gm)]
  const requests = [...text.matchAll(/^Request: (\w+) (\S+?)(?: `(.*)`)?$/gm)]
  expect(requests).toHaveLength(named.length)
  expect(named.length).toBeGreaterThanOrEqual(13)

  const missing = await noBrowser()
  const outcomes = []
  for (const [i, [, method = '', url = '', written]] of requests.entries()) {
    // A test's sandbox listens at any free port, so its address differs from the printed one.
    const { pathname, search } = new URL(url)
    const body = pathname === weighSubscribe.path ? JSON.stringify(await messageOfPayee()) : written
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const ask = () =>
      pay(`${sandbox.url}${pathname}${search}`, { method, headers, ...(body !== undefined && { body }) })
    let answer = await ask()
    // A machine may be slow to show a page.
    await until(
      async () => {
        if (answer.status >= 502) answer = await ask()
        return answer.status < 502 || missing !== undefined
      },
      url,
      60_000,
    )
    const json = (await answer.json()) as { receipt?: { charged: boolean }; error?: string }
    outcomes.push({ ...json, path: named[i]?.[2] ?? '', price: named[i]?.[3], status: answer.status })
  }
  for (const { path, price, status, receipt, error } of outcomes) {
    const isWithoutBrowser = missing !== undefined && error === 'not_ready'
    const isAnswered = status === 200 && (price === 'free' || receipt?.charged === true)
    expect([path, error, isAnswered || isWithoutBrowser || error !== undefined]).toEqual([
      path,
      isWithoutBrowser ? error : notInDocuments[path],
      true,
    ])
  }
  expect(outcomes.filter(({ receipt }) => receipt?.charged).length).toBeGreaterThanOrEqual(8)
})

/** These questions need what one caller was told, or what comes with time. No document can hold it. */
const notInDocuments: Record<string, string> = {
  '/receipts/again': 'no_receipt',
  '/receipts/verify': 'no_receipt',
  '/crawl/status': 'unknown_crawl',
  '/attest/log/proof': 'not_in_the_log',
  '/attest/log/consistency': 'no_such_size',
  '/weigh/deliveries': 'not_subscribed',
  '/weigh/replay': 'not_subscribed',
  '/weigh/cancel': 'not_subscribed',
  '/weigh/test': 'not_subscribed',
}

/** The question for /weigh/subscribe: the message of /weigh/prepare, with the signature of the shop's payee. */
const messageOfPayee = () => signedMessage(sandbox, 'base')

it('meets every refusal of the data origin, free', async () => {
  const declared = data.operations.map(({ path, refusals }) => [path, Object.keys(refusals).sort()])
  expect(Object.entries(refusals).map(([path, met]) => [path, Object.keys(met).sort()])).toEqual(declared)
  for (const [path, questions] of Object.entries(refusals))
    for (const [code, question] of Object.entries(questions)) {
      if (!question) continue
      const body = JSON.stringify(question)
      const headers = { 'content-type': 'application/json' }
      const answer = await pay(sandbox.url + path, { method: 'POST', headers, body })
      const { error, charged } = (await answer.json()) as Record<string, unknown>
      expect([path, error, charged]).toEqual([path, code, false])
    }
})

describe('in a browser', () => {
  let browser: Browser | undefined
  let why = ''
  beforeAll(async () => {
    const opened = await openBrowser()
    if (typeof opened === 'string') why = opened
    else browser = opened
  })
  afterAll(() => browser?.close())

  /** The browser's complaints. It also complains of the 402 that comes first for each question. */
  function complaints(page: Page): string[] {
    const heard: string[] = []
    page.on('pageerror', ({ message }) => heard.push(message))
    page.on('console', message => {
      if (message.type() === 'error' && !message.text().includes('402'))
        heard.push(`${message.text()} ${message.location().url}`)
    })
    return heard
  }

  const looks = isLong
    ? (['light', 'dark'] as const).flatMap(color =>
        [390, 1280].map(width => [color, width, undefined] as const),
      )
    : ([
        ['light', 1280, undefined],
        ['dark', 390, lookRules],
      ] as const)

  it('every page is sound and accessible, light and wide, dark and narrow', async context => {
    if (!browser) return context.skip(why)
    const page = await browser.newPage()
    page.setDefaultTimeout(pagePatienceMs)
    const heard = complaints(page)
    const all = await mappedPaths(sandbox.url)
    const alike = [
      { every: 24, paths: all.filter(path => path.startsWith('/docs/')) },
      { every: all.length, paths: all.filter(path => path.startsWith('/market/sellers/')) },
    ]
    for (const path of [...all, '/market?label=few_wallets_many_calls', missedPath]) {
      // The pages of operations share one layout, and those of sellers, so only some of them are checked, and the short form opens no
      // other.
      const isOneOfMany = alike.some(({ every, paths }) => paths.indexOf(path) % every > 0)
      if (isOneOfMany && !isLong) continue
      await page.setViewportSize({ width: 1280, height: 844 })
      const answer = await page.goto(sandbox.url + path)
      expect([path, await shiftOf(page), (await weightOf(path)) <= mostFirstBytes]).toEqual([path, 0, true])
      for (const [colorScheme, width, rules] of looks) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 844 })
        const found = isOneOfMany ? [] : await whatAxeFinds(page, rules)
        // The browser complains of a page that is not there, as it should.
        const said = heard.splice(0).filter(line => !line.endsWith(missedPath))
        const seen = [path, width, answer?.status(), await whatIsCut(page), found, said]
        expect(seen).toEqual([path, width, path === missedPath ? 404 : 200, [], [], []])
      }
      if (isLong)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 844 })
          expect([path, width, await whatIsCut(page)]).toEqual([path, width, []])
        }
    }
    await page.close()
  })

  it.each(Object.entries(journeys))('by keyboard alone: %s', async (_, journey) => {
    if (!browser) return
    const page = await browser.newPage()
    page.setDefaultTimeout(pagePatienceMs)
    await page.goto(sandbox.url)
    await journey(page, { url: sandbox.url, pay })
    await page.close()
  })

  it.skipIf(!isLong)('a page of each kind looks as it did when its picture was kept', async context => {
    if (!browser) return context.skip(why)
    const looks: Record<string, number | undefined> = {}
    for (const path of await ofEachKind(sandbox.url)) {
      const name = path.split('/').filter(Boolean).slice(0, 2).join('-') || 'home'
      const differing = await differingFromKept(browser, sandbox.url + path, name)
      if (differing === undefined || differing > mostDiffering) looks[name] = differing
    }
    expect(looks).toEqual({})
  })

  it('stands still for who asks for no motion, and is whole and bright on paper', async context => {
    if (!browser) return context.skip(why)
    const page = await browser.newPage({ viewport: { width: 720, height: 844 } })
    page.setDefaultTimeout(pagePatienceMs)
    const moving = () => page.evaluate<number>('document.getAnimations().length')
    await page.goto(sandbox.url)
    expect(await moving()).toBeGreaterThan(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await moving()).toBe(0)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'no-preference' })
    for (const path of ['/', '/docs/fx', '/status', '/lineage']) {
      await page.goto(sandbox.url + path)
      const seen = [path, await moving(), await whatIsCut(page), await page.evaluate(onPaper)]
      expect(seen).toEqual([path, 0, [], { scrolling: [], dark: [], navigation: false }])
    }
    await page.close()
  })

  it('tries an operation with play money: quote, payment, answer, receipt', async context => {
    if (!browser) return context.skip(why)
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    page.setDefaultTimeout(pagePatienceMs)
    const heard = complaints(page)
    await page.goto(`${sandbox.url}/docs/fx`)
    const steps = async () => {
      await page.click('#try-button')
      await page.waitForSelector('#try-button:not([disabled])')
      return (await page.evaluate(
        "[...document.querySelectorAll('#try-steps li')].map(item => [item.dataset.step, item.textContent])",
      )) as [string, string][]
    }
    for (const network of ['Base', 'Solana']) {
      await page.selectOption('#try-network', { label: network })
      const told = await steps()
      expect(told.map(([step]) => step)).toEqual(['quote', 'payment', 'answer', 'receipt'])
      expect(told[2]?.[1]).toContain('"to": "JPY"')
      expect(told[3]?.[1]).toContain(`charged on ${network.toLowerCase()}`)
    }
    expect(await whatAxeFinds(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    // The form and the JSON say the same.
    await page.fill('#ask-to', 'EUR')
    expect(await page.inputValue('#try-question')).toContain('"to": "EUR"')
    await page.fill('#ask-amount', '')
    expect(await page.inputValue('#try-question')).not.toContain('amount')
    await page.fill('#try-question', '{"from":"USD","to":"BGN"}')
    expect(await page.inputValue('#ask-to')).toBe('BGN')
    const refused = await steps()
    expect(refused.at(-1)?.[0]).toBe('refused')
    expect(refused.at(-1)?.[1]).toMatch(/^422 unsupported_currency: .* Nothing was charged\.$/)
    await page.fill('#try-question', '{')
    expect((await steps()).at(-1)?.[1]).toContain('The question is not JSON')

    // What is bought is drawn as the example is, from the same files.
    await page.goto(`${sandbox.url}/docs/fx/history`)
    expect(await page.locator('figure.drawn svg').count()).toBe(1)
    await page.fill('#try-question', '{"from":"USD","to":"CHF","start":"2026-04-01"}')
    expect((await steps()).at(-1)?.[0]).toBe('receipt')
    await page.waitForSelector('#try-steps [data-step=answer] figure.drawn svg.chart .line')
    expect(await page.textContent('#try-steps figure.drawn figcaption')).toContain('One USD in CHF')
    expect(await whatAxeFinds(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)
    expect(heard.filter(line => !line.includes('422'))).toEqual([])
    await page.close()
  })

  it('pays from an injected wallet on the page of a real seller, within caps, and keeps nothing', async context => {
    if (!browser) return context.skip(why)
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    page.setDefaultTimeout(pagePatienceMs)
    const heard = complaints(page)
    let refuses = true
    const signings = await injectWallets(page, () => refuses)
    await showSellersPage(page, sandbox.url)
    await page.goto(`${sandbox.url}/docs/fx`)
    const told = async (step: string) => {
      const found = await page.waitForSelector(`#try-steps li[data-step=${step}]`)
      return (await found.textContent()) ?? ''
    }
    const hear = async () => {
      await page.click('#try-button')
      return told('quote')
    }
    await page.waitForSelector('#try-wallet option[value="Play wallet"]', { state: 'attached' })
    // What is asked stands in the code, too.
    await page.fill('#ask-to', 'EUR')
    for (const code of [
      '{"from":"USD","to":"EUR","amount":100}',
      String.raw`{\"from\":\"USD\",\"to\":\"EUR\"`,
    ])
      expect(await page.textContent('main')).toContain(code)

    expect(await hear()).toContain('This answer costs 0.002 USDC on Base. It goes to 0x')
    await page.click('#try-pay')
    expect(await told('refused')).toMatch(/Play wallet did not sign: .*User rejected.* Nothing was charged\./)
    refuses = false
    // A wallet may answer anything. What is no signature is not sent, and the same button pays after it.
    await page.evaluate(lyingWallet)
    await hear()
    for (const _ of lies) {
      await page.click('#try-pay:enabled')
      expect(await told('refused')).toContain(
        'it gave no signature, so nothing was sent. Nothing was charged.',
      )
      await page.evaluate("document.querySelector('#try-steps li[data-step=refused]').remove()")
      expect(await page.$('#try-steps li:is([data-step=again], [data-step=payment])')).toBe(null)
    }
    await page.click('#try-pay:enabled')
    expect(await told('receipt')).toContain('0.002 USDC were charged on base')
    expect(signings.typed.splice(0)).toHaveLength(1)
    for (const cap of ['0.001', '']) {
      await page.fill('#try-cap', cap)
      await hear()
      expect(await told('refused')).toContain('more than you allow for a call. Nothing was signed')
    }
    await page.fill('#try-cap', '0.002')
    await page.fill('#try-cap-all', '0.006')
    for (const [network, wallet] of [
      ['Base', 'Play wallet'],
      ['Solana', 'Play phantom'],
    ] as const) {
      await page.selectOption('#try-network', { label: network })
      expect(await page.inputValue('#try-wallet')).toBe(wallet)
      await hear()
      if (network === 'Solana') {
        await page.evaluate(lyingSolana)
        for (const _ of solanaLies) {
          await page.click('#try-pay:enabled')
          expect(await told('refused')).toMatch(
            /Play phantom did not sign: (it (gave no signature, so nothing was sent|has signed something else than was asked)|.*not iterable.*)\. Nothing was charged\./,
          )
          await page.evaluate("document.querySelector('#try-steps li[data-step=refused]').remove()")
          expect(await page.$('#try-steps li:is([data-step=again], [data-step=payment])')).toBe(null)
        }
      }
      // Nobody knows the end of the first payment at once.
      if (network === 'Base') await page.route('**/fx', unknownOnce, { times: 1 })
      await page.click('#try-pay')
      if (network === 'Base') {
        expect(await told('refused')).toContain('503 payment_unknown')
        await page.click('#try-steps li[data-step=again] button')
      }
      expect(await told('receipt')).toContain(`0.002 USDC were charged on ${network.toLowerCase()}`)
      expect(await told('answer')).toContain('"to": "EUR"')
      const link = await page.getAttribute('#try-steps a', 'href')
      expect(link).toContain(networks[network.toLowerCase() as 'base'].explorer.split('{')[0])
    }
    expect(signings.transactions).toBe(1)
    expect(signings.typed.map(({ message }) => message?.value)).toEqual(['2000'])
    await hear()
    expect(await told('refused')).toContain('this page would cost more than you allow in all')
    expect(await whatAxeFinds(page)).toEqual([])
    const kept = '[document.cookie, localStorage.length, sessionStorage.length].join()'
    expect(await page.evaluate(kept)).toBe(',0,0')
    expect(heard.filter(line => !line.includes('503'))).toEqual([])
    await page.close()
  })

  /** The page of a seller for real money, with a wallet that signs once this resolves. */
  async function openSellers(signs: () => boolean | Promise<boolean> = () => false) {
    const page = await (browser as Browser).newPage()
    page.setDefaultTimeout(pagePatienceMs)
    const signings = await injectWallets(page, signs)
    await showSellersPage(page, sandbox.url)
    await page.goto(`${sandbox.url}/docs/fx`)
    await page.waitForSelector('#try-wallet option[value="Play wallet"]', { state: 'attached' })
    const told = async (step: string) =>
      (await (await page.waitForSelector(`#try-steps li[data-step=${step}]`)).textContent()) ?? ''
    return { page, signings, told }
  }

  it('has nothing signed for a quote whose time is no number', async context => {
    if (!browser) return context.skip(why)
    const { page, signings, told } = await openSellers()
    // It would be put behind the present moment: a signature for thousands of years.
    await page.route('**/fx', async route => {
      const answer = await route.fetch()
      const quote = JSON.parse(Buffer.from(answer.headers()['payment-required'] ?? '', 'base64').toString())
      for (const offer of quote.accepts) offer.maxTimeoutSeconds = '60'
      const changed = Buffer.from(JSON.stringify(quote)).toString('base64')
      await route.fulfill({ response: answer, headers: { ...answer.headers(), 'payment-required': changed } })
    })
    await page.click('#try-button')
    expect(await told('refused')).toContain('good for too long. Nothing was signed')
    expect(await page.$('#try-pay')).toBe(null)
    expect(signings.typed).toEqual([])
    await page.close()
  })

  it('has two windows of a wallet, open at once, pass no cap together', async context => {
    if (!browser) return context.skip(why)
    const signs = Promise.withResolvers<boolean>()
    const { page, signings, told } = await openSellers(() => signs.promise)
    await page.fill('#try-cap-all', '0.003')
    const prices = []
    for (const _ of [1, 2]) {
      await page.click('#try-button')
      prices.push(await page.waitForSelector('#try-pay'))
    }
    // The first price is no longer in the page, and whoever holds it may still press it.
    for (const price of prices) await price.evaluate(button => button.dispatchEvent(new Event('click')))
    expect(await told('refused')).toContain('more than you allow in all. Nothing was signed')
    signs.resolve(false)
    expect(await told('receipt')).toContain('0.002 USDC were charged')
    expect(signings.typed).toHaveLength(1)
    await page.close()
  })

  it('keeps a payment whose end is not known, and asks for no other price before it is', async context => {
    if (!browser) return context.skip(why)
    const { page, signings, told } = await openSellers()
    await page.click('#try-button')
    await page.waitForSelector('#try-pay')
    await page.route('**/fx', unknownOnce, { times: 1 })
    await page.click('#try-pay')
    await told('again')
    await page.waitForFunction("document.querySelector('#try-pay').disabled")
    await page.evaluate("document.querySelector('#try-button').click()")
    expect(await page.isDisabled('#try-button')).toBe(true)
    await page.click('#try-steps li[data-step=again] button')
    expect(await told('receipt')).toContain('0.002 USDC were charged')
    await page.waitForSelector('#try-button:enabled')
    expect(signings.typed).toHaveLength(1)
    await page.close()
  })
})

/** What would be lost on paper, or take its ink. */
const onPaper = `(() => {
  const all = [...document.querySelectorAll('main, main *')]
  const scrolls = at => /auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight + 1
  const isDark = at => /^rgb\\((\\d|[1-9]\\d), /.test(getComputedStyle(at).backgroundColor)
  return {
    scrolling: all.filter(scrolls).map(at => at.outerHTML.slice(0, 80)),
    dark: all.filter(at => isDark(at) && at.offsetHeight > 0).map(at => at.outerHTML.slice(0, 80)),
    navigation: document.querySelector('header nav').offsetHeight > 0,
  }
})()`

/** Answers in place of signatures, each once. They are in the page, since not all of them leave it. */
const lies = [
  '2n',
  '(() => { const it = {}; it.it = it; return it })()',
  "'0x' + 'ab'.repeat(1_000_000)",
  "'signed'",
  'undefined',
]
const lyingWallet = `(() => {
  const lies = [${lies.map(lie => `() => ${lie}`).join()}]
  const ask = window.askEvm
  window.askEvm = async asked =>
    asked.method === 'eth_signTypedData_v4' && lies.length ? lies.shift()() : ask(asked)
})()`

/** Nothing, too much, no signature, another amount, and what only looks like bytes. */
const solanaLies = [
  'undefined',
  '[]',
  'new Array(2_000_000).fill(1)',
  'bytes',
  'bytes.map((byte, i) => (i === bytes.length - 10 ? byte ^ 1 : i === 70 ? 7 : byte))',
  '({ length: bytes.length })',
]
const lyingSolana = `(() => {
  const lies = [${solanaLies.map(lie => `bytes => ${lie}`).join()}]
  const ask = window.askSolana
  window.askSolana = async bytes => (lies.length ? lies.shift()(bytes) : ask(bytes))
})()`

const unknownOnce = (route: Route) =>
  route.fulfill({
    ...{ status: 503, contentType: 'application/json' },
    body: JSON.stringify({ error: 'payment_unknown', message: 'Ask again', charged: null }),
  })

/** What comes over the wire before a page can be read: the page itself, and its scripts. */
const mostFirstBytes = 60 * 1024
async function weightOf(path: string): Promise<number> {
  const packed = async (address: string) => {
    const answer = await fetch(sandbox.url + address, {
      headers: { 'accept-encoding': 'br', accept: 'text/html' },
    })
    const text = await answer.text()
    return { text, bytes: Number(answer.headers.get('content-length')) || Buffer.byteLength(text) }
  }
  const { text, bytes } = await packed(path)
  const scripts = [...text.matchAll(/<script src="([^"]+)"/g)].map(([, address = '']) => packed(address))
  return (await Promise.all(scripts)).reduce((sum, each) => sum + each.bytes, bytes)
}

// This asks a registry for two hundred packages, so it belongs to the long form.
describe.skipIf(!isLong)(`through MPP${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  it('mppx pays every operation that can be answered without a browser, and reads the receipt', async context => {
    const project = join(sandbox.folder, 'mppx')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
    // Its range of viem and viem's range of it exclude each other, so npm must not judge them.
    const quiet = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline']
    const why = await promisify(execFile)('npm', ['install', ...quiet, 'mppx@0.11.0', 'viem@2'], {
      cwd: project,
    }).then(
      () => undefined,
      () => 'the registry of npm has not mppx',
    )
    if (why) context.skip(why)
    const { Mppx, evm } = await import(join(project, 'node_modules/mppx/dist/client/index.js'))
    const account = privateKeyToAccount(evmKey)
    const { asset, domain } = networks.base
    const charge = evm.charge({ account, currencies: [asset], networks: [8453], authorization: domain })
    const client = Mppx.create({ polyfill: false, methods: [charge] })
    const asked = data.operations.filter(({ id }) => id !== 'weather').slice(0, 6)
    for (const { path, example } of asked) {
      const answer = await client.fetch(`${sandbox.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(example.request),
      })
      expect([path, answer.status]).toEqual([path, 200])
      const { receipt } = await answer.json()
      const read = JSON.parse(Buffer.from(answer.headers.get('payment-receipt'), 'base64url').toString())
      expect(read).toMatchObject({ method: 'evm', status: 'success', reference: receipt.payment_tx })
    }
  })
})

describe.skipIf(!isLong)(`with what others make${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  const tools = {
    '@modelcontextprotocol/sdk': '1.12.0',
    '@agentcash/discovery': '1.7.5',
    'openapi-typescript': '7.13.0',
    'openapi-fetch': '0.17.0',
    '@stoplight/spectral-cli': '6.16.3',
  }
  const run = promisify(execFile)
  let project: string
  let why: string | undefined
  const tool = (name: string, ...args: string[]) =>
    run(join(project, 'node_modules/.bin', name), args, { cwd: project })

  beforeAll(async () => {
    project = join(sandbox.folder, 'openapi')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
    const wanted = Object.entries(tools).map(([name, version]) => `${name}@${version}`)
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
    why = await run('npm', ['install', ...quiet, ...wanted], { cwd: project }).then(
      () => undefined,
      () => 'the registry of npm has not what others make',
    )
    const document = await fetch(`${sandbox.url}/openapi.json`)
    writeFileSync(join(project, 'openapi.json'), await document.text())
  })

  it('the checkers of documents find nothing to say', async context => {
    if (why) context.skip(why)
    // The checker of redocly. The generator of clients brings it.
    const redocly = await import(join(project, 'node_modules/@redocly/openapi-core/lib/index.js'))
    const config = await redocly.createConfig({ extends: ['recommended'] })
    expect(await redocly.lint({ ref: join(project, 'openapi.json'), config })).toEqual([])
    writeFileSync(join(project, 'rules.yaml'), 'extends: ["spectral:oas"]')
    const { stdout } = await tool(
      'spectral',
      'lint',
      'openapi.json',
      '--ruleset',
      'rules.yaml',
      '--format',
      'json',
    )
    expect(stdout.trim()).toMatch(/^\[\]/)
  })

  it('a registry of agents finds every operation with its price, and nothing to warn of', async context => {
    if (why) context.skip(why)
    const { stdout } = await tool('discovery', 'discover', sandbox.url)
    expect(stdout).toMatch(/POST +\/fx +paid +0\.002 USD +\[x402, mpp\]/)
    // One document tells of all origins. A deployment with a host for each has shorter ones.
    expect(stdout.match(/\[warn\] \w+/g)).toEqual(['[warn] L2_ROUTE_COUNT_HIGH'])
    const { stdout: checked } = await tool('discovery', 'check', `${sandbox.url}/sec/financials`)
    expect(checked).toMatch(/POST +paid +0\.004 USD +\[x402, mpp\]/)
  })

  it('a generated client compiles, calls and pays', async context => {
    if (why) context.skip(why)
    await tool('openapi-typescript', 'openapi.json', '--output', 'api.ts')
    writeFileSync(
      join(project, 'calls.ts'),
      `import createClient from 'openapi-fetch'
import type { paths } from './api.ts'
export async function calls(baseUrl: string, pay: typeof fetch) {
  const api = createClient<paths>({ baseUrl, fetch: pay })
  const { data } = await api.POST('/fx', { body: { from: 'USD', to: 'JPY' } })
  const rate: number | undefined = data?.rate
  // @ts-expect-error a question that is misspelt
  api.POST('/fx', { body: { form: 'USD', to: 'JPY' } }).catch(() => {})
  const { data: method } = await api.GET('/market/method')
  return { rate, receipt: data?.receipt, labels: method?.labels.length }
}
`,
    )
    const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
    const ended = await run(process.execPath, [tsc, ...strict, '--allowImportingTsExtensions', 'calls.ts'], {
      cwd: project,
    }).catch((failed: { stdout: string }) => failed)
    expect(ended.stdout).toBe('')
    const { calls } = await import(join(project, 'calls.ts'))
    expect(await calls(sandbox.url, pay)).toMatchObject({
      rate: expect.any(Number),
      receipt: { charged: true },
      labels: expect.any(Number),
    })
  })

  it('an old client of MCP lists the tools in one short page, tries one, and hears of a price', async context => {
    if (why) context.skip(why)
    const old = (path: string) =>
      import(join(project, `node_modules/@modelcontextprotocol/sdk/dist/esm/client/${path}.js`))
    const client = new (await old('index')).Client({ name: 'old', version: '1' })
    const { StreamableHTTPClientTransport } = await old('streamableHttp')
    await client.connect(new StreamableHTTPClientTransport(new URL(`${sandbox.url}/mcp`)))
    const listed = await client.listTools()
    expect(listed.nextCursor).toBeUndefined()
    expect(JSON.stringify(listed).length).toBeLessThan(64 * 1024)
    for (const { description } of listed.tools) expect(description.length).toBeLessThan(1024)
    const call = (name: string, given: object) => client.callTool({ name, arguments: given })
    expect((await call('fx', { from: 'USD', to: 'JPY' })).structuredContent).toMatchObject({
      to: 'JPY',
      receipt: { charged: false, free_calls_left: 2 },
    })
    expect(await call('data_company', { ticker: 'AAPL' })).toMatchObject({
      isError: true,
      structuredContent: { x402Version: 2, resource: { url: 'mcp://tool/data_company' } },
    })
    await client.close()
  })
})

const operationOf = new Map(
  origins.flatMap(({ operations }) => operations.map(operation => [toolName(operation), operation])),
)

describe('over MCP', () => {
  it.each(['base', 'solana'])('tools are called and paid on %s', async network => {
    const client = await clientOf(`${sandbox.url}/mcp`)
    // Without a node of Solana: the quote names a block.
    const wallet = { evmKey, solanaKey }
    const priced = (await client.listTools()).tools.filter(({ _meta }) => _meta?.['x402/price'])
    // On Solana one tool of each price is enough.
    const priceOf = ({ _meta }: (typeof priced)[number]) => JSON.stringify(_meta?.['x402/price'])
    const ofEachPrice = new Map(priced.map(tool => [priceOf(tool), tool])).values()
    const paid: string[] = []
    const missing = await noBrowser()
    for (const { name } of network === 'base' ? priced : ofEachPrice) {
      const { path, example } = operationOf.get(name) ?? weighSubscribe
      const given = name === toolName(weighSubscribe) ? await messageOfPayee() : example.request
      // A tool on trial would answer free instead of quoting. The quote of its path pays for the tool, too.
      const unpaid = await fetch(`${sandbox.url}${path}`, { method: 'POST' })
      const quote = quoteIn(unpaid) as Quote
      const offer = quote.accepts.find(each => each.network === networkId(network)) as Offer
      const payment = await signed(wallet, quote, offer)
      const told = await client.callTool({
        name,
        arguments: given as Record<string, unknown>,
        _meta: { 'x402/payment': payment },
      })
      const { receipt, error } = told.structuredContent as { receipt?: { network: string }; error?: string }
      if (missing !== undefined && error === 'not_ready') continue
      expect([name, error, receipt?.network]).toEqual([name, undefined, network])
      expect(told._meta?.['x402/payment-response']).toMatchObject({ success: true })
      paid.push(name)
    }
    expect(paid.length).toBeGreaterThanOrEqual(network === 'base' ? 8 : 3)
  })
})
