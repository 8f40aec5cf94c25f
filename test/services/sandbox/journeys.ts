/** What people want of the pages, each by keyboard alone. A journey begins at the first page. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { whatAxeFinds } from '../../browser.ts'
import { until } from '../../until.ts'
import { openStatus, purchase, start } from '../pages/opened-status.ts'
import { injectWallets } from './injected-wallets.ts'
import { showSellersPage } from './sellers-page.ts'

interface Place {
  url: string
  /** Pays a question, and gives what came with the answer. */
  pay: (url: string, init: RequestInit) => Promise<Response>
}

type Journey = (page: Page, place: Place) => Promise<void>

export const journeys: Readonly<Record<string, Journey>> = {
  'finds out what an IP lookup costs, and buys one': async page => {
    await find(page, 'where an ip', '/docs/ip')
    expect(await page.textContent('h1 + .lead')).toContain('0.002 USDC')
    await tabTo(page, { id: 'try-button' })
    await page.keyboard.press('Enter')
    const receipt = await page.waitForSelector('#try-steps li[data-step=receipt]')
    expect(await receipt.textContent()).toContain('0.002 USDC were charged')
  },

  'sees whether SEC data was fresh yesterday': async page => {
    await find(page, '/sec/financials', '/docs/sec/financials')
    await openLink(page, 'How fresh')
    await tabTo(page, { address: '/status#source-sec_current' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/status#source-sec_current')
    expect(await inView(page)).toBe('sec_current')
    // A sandbox has not run yesterday.
    expect(await page.textContent('tr:has(:target)')).toMatch(/good.*yesterday: not asked/)
  },

  'sees which x402 seller of weather others pay': async page => {
    await openLink(page, 'Market')
    await page.waitForURL('**/market')
    await openLink(page, 'weather environment 1')
    await page.waitForURL('**/market?category=weather_environment')
    await tabTo(page, { address: '/market/sellers/' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/market/sellers/*')
    expect(await page.textContent('dl.figures')).toContain('paying wallets')
  },

  'verifies a receipt that he was given': async (page, { url, pay }) => {
    const question = { ip: '8.8.8.8' }
    const bought = await pay(`${url}/ip`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(question),
    })
    const given = { settlement: bought.headers.get('payment-response'), question }
    await find(page, 'receipt ours', '/docs/receipts/verify')
    for (const [ip, valid] of [
      ['8.8.8.8', 'yes'],
      ['1.1.1.1', 'no'],
    ] as const) {
      await tabTo(page, { id: 'try-question' })
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(JSON.stringify({ ...given, question: { ip } }))
      await tabTo(page, { id: 'try-button' })
      await page.keyboard.press('Enter')
      await page.waitForSelector('#try-button:enabled')
      const told = await page.waitForSelector('#try-steps li[data-step=answer]')
      expect(await told.textContent()).toContain(`valid${valid}`)
    }
  },

  'finds what a code of a refusal means, and what one of any call means': async page => {
    const { keyboard } = page
    await open(page)
    await keyboard.press('Escape')
    expect(await page.isVisible('#find')).toBe(false)
    await find(page, 'unsupported_currency', '/docs/fx#code-unsupported_currency')
    expect(await inView(page)).toBe('unsupported_currency')
    expect(await page.textContent('tr:has(:target)')).toContain('422')
    await open(page)
    await keyboard.type('stale')
    await keyboard.press('ArrowDown')
    await keyboard.press('ArrowUp')
    await keyboard.press('Enter')
    await page.waitForURL('**/docs#code-stale_data')
    expect(await inView(page)).toBe('stale_data')
    expect(await page.textContent('tr:has(:target)')).toContain('older than we promise')
  },

  'follows a fact from its source to the operation that sells it': async page => {
    await openLink(page, 'Lineage')
    await page.waitForURL('**/lineage')
    await page.waitForSelector('#flow-find:enabled')
    await tabTo(page, { id: 'flow-find' })
    await page.keyboard.type('ecb')
    const rows = await page.$$eval('main tbody tr:not([hidden])', all => all.map(row => row.textContent))
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toMatch(/ecb/i)
    expect(await page.textContent('#flow .node.on[data-name="/fx"]')).toContain('/fx')
    await tabTo(page, { address: '/docs/fx' })
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/fx*')
  },

  'finds the SQL for a rate, and what the columns of its view mean': async page => {
    await find(page, '/fx', '/docs/fx')
    await openLink(page, 'SQL')
    expect(await inView(page)).toBe('The same in SQL')
    expect(await page.textContent('#sql ~ .copied, #sql ~ pre')).toContain('from fx_daily')
    await openLink(page, 'The columns of fx_daily')
    expect(await page.isVisible('details[open] [aria-label="The columns of fx_daily"]')).toBe(true)
    expect(await page.textContent('[aria-label="The columns of fx_daily"]')).toContain('currency')
  },

  'reads the newest change, and subscribes to its feed': async page => {
    await openLink(page, 'Changes')
    await page.waitForURL('**/changelog')
    const newest = (await page.textContent('h2[id^=v]'))?.split(' ')[0] ?? ''
    const fed = page.waitForResponse('**/changelog.atom')
    await openLink(page, 'Feed')
    const feed = await (await fed).text()
    expect(feed).toMatch(/<entry><id>[^<]*<\/id><title>Farebox (\d[\w.]*)</)
    expect(/<title>Farebox (\d[\w.]*)</.exec(feed)?.[1]).toBe(newest)
  },

  'finds a place while he writes it, and has its coordinates': async page => {
    // He is quicker than the script that makes the list.
    let written = () => {}
    const held = new Promise<void>(resolve => {
      written = resolve
    })
    await page.route('**/places.js', async route => {
      await held
      await route.continue()
    })
    await find(page, '/weather', '/docs/weather', 'commit')
    await page.waitForSelector('footer', { state: 'attached' })
    await tabTo(page, { id: 'ask-address' })
    const field = page.locator('#ask-address[role=combobox]')
    await page.keyboard.type('Seatt')
    written()
    await page.waitForSelector('#ask-address[aria-expanded=true]')
    expect(await page.textContent('#ask-address-list [role=option]')).toContain('Seattle, WA')
    await page.keyboard.press('Escape')
    expect(await field.getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowDown')
    await page.waitForSelector('#ask-address[aria-expanded=true]')
    await page.keyboard.press('ArrowDown')
    const chosen = `#${await field.getAttribute('aria-activedescendant')}[aria-selected=true]`
    expect(await page.textContent(chosen)).toContain('Seattle, WA')
    expect(await whatAxeFinds(page)).toEqual([])
    await page.keyboard.press('Enter')
    const asked = JSON.parse(await page.inputValue('#try-question'))
    expect(asked).toMatchObject({
      address: 'Seattle, WA',
      lat: expect.closeTo(47.6, 0),
      lon: expect.closeTo(-122.3, 0),
    })
    expect(await page.locator('#ask-address-list').isVisible()).toBe(false)
  },

  'pays with a wallet of his own': async (page, { url }) => {
    await injectWallets(page)
    await showSellersPage(page, url)
    // What a wallet puts into a page, it puts into the next one.
    await find(page, '/fx', '/docs/fx')
    await page.waitForSelector('#try-wallet option[value="Play wallet"]', { state: 'attached' })
    await tabTo(page, { id: 'try-button' })
    await page.keyboard.press('Enter')
    await page.waitForSelector('#try-pay')
    expect(await page.evaluate('document.activeElement.id')).toBe('try-pay')
    await page.keyboard.press('Enter')
    const receipt = await page.waitForSelector('#try-steps li[data-step=receipt]')
    expect(await receipt.textContent()).toContain('0.002 USDC were charged on base')
  },

  'reads of an incident, and where a purchase of the canary stands on the chain': async page => {
    // A sandbox has no incident at its start, and no explorer knows its chain.
    const began = start / 1000 + 86_400
    const late = { source: 'ecb', began, ended: began + 7200, failed: 2, error: 'it said 502', refused: [] }
    const { text } = openStatus([], [purchase(1, {})], ['base'], [late])
    let body = ''
    // A busy machine takes more than the two seconds that a page waits for what it does not know yet.
    const isKnown = async () => {
      body = await text()
      return body.includes('was late for')
    }
    await until(isKnown, 'the incident to be known')
    await page.route('**/status', route => route.fulfill({ contentType: 'text/html', body }))
    await page.route('https://basescan.org/**', route => route.fulfill({ body: 'the transaction' }))
    await openLink(page, 'Status')
    await page.waitForURL('**/status')
    await openLink(page, 'Incidents')
    await openLink(page, 'ecb was late for 2 h')
    expect(await page.textContent(':target')).toContain('2 polls failed, the last one: it said 502.')
    await tabTo(page, { address: 'https://basescan.org/tx/0x' })
    await page.keyboard.press('Enter')
    await page.waitForURL('https://basescan.org/tx/0x*')
  },
}

/** Opens the search. */
async function open(page: Page): Promise<void> {
  await page.waitForSelector('#find-open:not([disabled])')
  await page.keyboard.press('/')
  await page.waitForSelector('#find[open]')
}

/** Searches, and opens the first of what is found. */
async function find(
  page: Page,
  text: string,
  address: string,
  waitUntil: 'load' | 'commit' = 'load',
): Promise<void> {
  await open(page)
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${address}`, { waitUntil })
}

/** What the address points at, if it stands in the window. */
const inView = (page: Page): Promise<string> =>
  page.evaluate(
    `(() => { const at = document.querySelector(':target'); const { top, bottom } = at.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight ? at.textContent : 'out of view at ' + top })()`,
  )

interface Sought {
  id?: string
  /** How its address begins. */
  address?: string
  text?: string
}

const mostTabs = 200

/** Tabs until the focus is at what is sought. Whatever has the focus on the way must show it, and stand in the window. */
async function tabTo(page: Page, sought: Sought): Promise<void> {
  for (let pressed = 0; pressed < mostTabs; pressed++) {
    await page.keyboard.press('Tab')
    const at = (await page.evaluate(focused)) as Required<Sought> & { shown: boolean }
    expect([at, at.shown]).toEqual([at, true])
    if (sought.id !== undefined && at.id === sought.id) return
    if (sought.text !== undefined && at.text === sought.text) return
    if (sought.address !== undefined && at.address.startsWith(sought.address)) return
  }
  throw new Error(`no Tab of ${mostTabs} leads to ${JSON.stringify(sought)}`)
}

const focused = `(() => {
  const at = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(at)
  const { top, bottom, left, right } = at.getBoundingClientRect()
  const isSeen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
  return {
    id: at.id,
    address: at.getAttribute('href') ?? '',
    text: at.textContent.trim(),
    shown: at === document.body || (isSeen && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2),
  }
})()`

async function openLink(page: Page, text: string): Promise<void> {
  await tabTo(page, { text })
  await page.keyboard.press('Enter')
}
