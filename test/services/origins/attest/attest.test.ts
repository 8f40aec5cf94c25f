import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { verify } from '../../../../pipelines/domains/attestation/verification.ts'
import type { NoPage, Page } from '../../../../pipelines/rails/outside/pages/page.ts'
import { addressOfKey } from '../../../../pipelines/rails/signing/eip712.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { attest } from '../../../../services/origins/attest/page/attest.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import {
  type Attester,
  attestKey,
  openAttester,
  picture,
} from '../../../pipelines/domains/attestation/an-attestation.ts'
import { ask, askText } from '../ask.ts'
import { refusal } from '../refusal.ts'
import { aPage, finding } from './a-page.ts'

const ends: (() => Promise<void> | void)[] = []
let attester: Attester
beforeAll(async () => {
  attester = await openAttester({}, Date.now, end => ends.unshift(end))
})
afterAll(async () => {
  for (const end of ends) await end()
})

const shelf = new Shelf(Date.now)
const url = 'http://shop.example/kettle'
const asking = (found: Page | NoPage, attesting: Attester['attesting'] | undefined = attester.attesting) => ({
  shelf,
  now: Date.now,
  find: finding(found).find,
  attesting,
})
const judged = (attestation: { left_out?: unknown }) => {
  const { left_out: _, ...given } = attestation
  return verify(given, attester.known)
}

it('attests what the browser saw, and it verifies', async () => {
  const page = await aPage()
  const answer = await ask(attest, { url }, asking(page))
  expect(judged(answer)).toMatchObject({ valid: true, reason: null })
  expect(answer.statement).toMatchObject({
    url,
    final_url: 'https://shop.example/kettle',
    redirects: [{ url, status: 301 }],
    status: 200,
    serving_ip: '93.184.216.34',
    serving_port: 443,
    html_sha256: sha256('<h1>A kettle</h1>'),
    text_sha256: sha256('A kettle\nIt costs 20 €.\n'),
    text_chars: 24,
    screenshot_sha256: sha256(picture),
    title: 'A kettle',
    observer: 'farebox/test',
  })
  expect(Object.keys(answer.evidence)).toEqual(['text', 'screenshot_base64', 'certificates_base64'])
})

it('visits the page anew, for this caller alone, with picture and certificates', async () => {
  const { find, asked } = finding(await aPage())
  await ask(attest, { url, any_status: true }, { ...asking(await aPage()), find })
  expect(asked).toEqual([
    expect.objectContaining({
      ...{
        url,
        render: 'always',
        maxAgeMs: 0,
        own: true,
        anyStatus: true,
        picture: true,
        certificates: true,
      },
    }),
  ])
})

it('sends the requested evidence, and the hashes of all of it', async () => {
  const bare = await ask(attest, { url, include: [] }, asking(await aPage()))
  expect(bare.evidence).toEqual({})
  expect(judged(bare).valid).toBe(true)
  const html = await ask(attest, { url, include: ['html'] }, asking(await aPage()))
  expect(Object.keys(html.evidence)).toEqual(['html_base64'])
  expect(judged(html).checks).toContainEqual(expect.objectContaining({ name: 'html', ok: true }))
})

it('has no certificate over plain http', async () => {
  const page = await aPage({ finalUrl: url })
  const plain = { ...page, rendered: page.rendered && { ...page.rendered, tls: null } }
  const answer = await ask(attest, { url }, asking(plain))
  expect(answer.statement.tls).toBeNull()
  expect(judged(answer)).toMatchObject({ valid: true })
})

it('writes the title and the text of a hostile page as Unicode, and bounds their length', async () => {
  const page = await aPage()
  const rendered = page.rendered && { ...page.rendered, title: `\ud800${'😀'.repeat(5000)}`, text: '\ud800' }
  const answer = await ask(attest, { url }, asking({ ...page, rendered }))
  expect(answer.statement.title.length).toBeLessThanOrEqual(1000)
  expect(judged(answer)).toMatchObject({ valid: true })
})

describe('the answer stays small enough to be sold', () => {
  it('by leaving out HTML that does not fit', async () => {
    const page = await aPage({ bytes: Buffer.alloc(700_000, 'a') })
    const include = ['text', 'screenshot', 'html']
    const text = await askText(attest, { url, include }, asking(page))
    expect(text.length).toBeLessThan(900_000)
    const answer = JSON.parse(text)
    expect(answer.left_out).toEqual(['html'])
    expect(answer.evidence).not.toHaveProperty('html_base64')
    expect(judged(answer).valid).toBe(true)
  })

  it('evidence_too_large: it names what to leave out', async () => {
    const page = await aPage()
    const rendered = page.rendered && { ...page.rendered, text: 'a'.repeat(900_000) }
    expect(await refusal(attest, { url }, asking({ ...page, rendered }))).toMatchObject({
      status: 422,
      error: 'evidence_too_large',
      message: expect.stringContaining('leave out text or screenshot'),
    })
    const answer = await ask(attest, { url, include: ['certificates'] }, asking({ ...page, rendered }))
    expect(judged(answer).valid).toBe(true)
  })
})

it.each([
  ['invalid_url', 400],
  ['page_fetch_failed', 502],
  ['page_refused', 422],
  ['blocked_by_site', 422],
  ['too_many_redirects', 422],
  ['page_too_large', 422],
  ['robots_disallowed', 422],
  ['not_a_page', 422],
] as const)('%s: it attests nothing', async (code, status) => {
  const before = attester.attesting.ledger.book.size
  const refused = await refusal(attest, { url }, asking({ refusal: code, message: 'No page' }))
  expect(refused).toMatchObject({ status, error: code })
  expect(attester.attesting.ledger.book.size).toBe(before)
})

it('signer_unconfigured: there are no keys', async () => {
  const { attesting: _, ...without } = asking(await aPage())
  expect(await refusal(attest, { url }, without)).toMatchObject({ status: 503, error: 'signer_unconfigured' })
})

it('timestamp_unavailable: too few authorities have answered', async () => {
  const { attesting } = await openAttester({ authorities: ['http://127.0.0.1:9/'] })
  expect(await refusal(attest, { url }, asking(await aPage(), attesting))).toMatchObject({
    status: 502,
    error: 'timestamp_unavailable',
  })
})

it('log_unavailable: nobody signs the log', async () => {
  const { attesting, stopSequencing } = await openAttester({}, Date.now, onTestFinished, 100)
  await stopSequencing()
  await expect(ask(attest, { url }, asking(await aPage(), attesting))).rejects.toMatchObject({
    code: 'log_unavailable',
    status: 503,
  })
})

it('sells no attestation that cannot be verified', async () => {
  const address = addressOfKey(attestKey)
  const ended = { address, valid_from: '2020-01-01T00:00:00.000Z', valid_until: '2021-01-01T00:00:00.000Z' }
  const { attesting } = await openAttester({ former: [{ ...ended, revoked_at: null }] })
  await expect(ask(attest, { url }, asking(await aPage(), attesting))).rejects.toThrow(
    'has signed until 2021',
  )
})

it('attests nothing if the certificate could not be read, or if no browser showed the page', async () => {
  const page = await aPage()
  const tls = { protocol: 'TLS 1.3', cipher: 'AES', certificates: [] }
  const unread = { ...page, rendered: page.rendered && { ...page.rendered, tls } }
  await expect(ask(attest, { url }, asking(unread))).rejects.toThrow('its certificate could not be read')
  await expect(ask(attest, { url }, asking({ ...page, rendered: undefined }))).rejects.toThrow('no browser')
})
