import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { stem, termsOf } from '../../../../../pipelines/domains/market/words.ts'
import { type ListingText, MarketIndex } from '../../../../../services/origins/data/market/listing-index.ts'
import { judge, judgedTasks, recordedMarket } from '../../../../bench/judging.ts'
import { testRecorded } from '../../../../samples.ts'

const text = (description: string, more: Partial<ListingText> = {}): ListingText => ({
  url: 'https://seller.dev/v1',
  name: null,
  tags: [],
  parameters: [],
  description,
  ...more,
})
const found = (texts: ListingText[], task: string) =>
  new MarketIndex(texts)
    .find(task)
    .sort((a, b) => b.relevance - a.relevance)
    .map(({ place }) => place)
const others = ['Weather of a city', 'Price of a token', 'Geocode an address'].map(each => text(each))

describe('the index', () => {
  test('finds a word in any form, and by its synonyms', () => {
    expect(termsOf('Filings')).toEqual(termsOf('filing'))
    expect(termsOf('scraping websites')).toEqual(termsOf('crawl a website'))
    expect(termsOf('getTokenPrice')).toEqual(termsOf('token prices'))
    expect(found([...others, text('SEC filings of a company')], 'EDGAR filing')).toEqual([3])
  })
  test('takes another word for the same thing for less, unless the listing calls itself so', () => {
    const brand = text('Define brand voice and messaging')
    expect(found([...others, brand], 'text to speech')).toEqual([])
    expect(found([...others, brand], 'brand voice')).toEqual([3])
    const voice = text('Speaks what you write', { url: 'https://seller.dev/voice' })
    expect(found([...others, voice], 'text to speech')).toEqual([3])
  })
  test('finds no part of a word with a prefix, and no call behind a number', () => {
    expect(found([...others, text('Pre-flight checks of a trade')], 'flight status')).toEqual([])
    expect(found([...others, text('Pre-flight checks of a trade')], 'preflight check of a trade')).toEqual([
      3,
    ])
    expect(found([...others, text('Validates a phone number')], 'make a phone call')).toEqual([])
  })
  test('is not moved by a word that is repeated a hundred times', () => {
    const stuffed = text('weather '.repeat(100))
    const plain = text('Weather weather weather', { tags: ['weather'] })
    expect(found([stuffed, plain, ...others.slice(1)], 'weather')[0]).toBe(1)
  })
  test('corrects five misspelt words of a question, and no more', () => {
    const words = ['weather', 'geocode', 'airport', 'company', 'currency', 'insurance']
    const index = new MarketIndex([...others, text(words.join(' '))])
    const misspelt = words.map(word => `${word}z`)
    const of = (...asked: string[]) => index.find(asked.join(' '))[0]?.relevance
    expect(of(...misspelt.slice(1))).toBe(of(...words.slice(1)))
    expect(of(...misspelt)).toBe(of(...words.slice(0, 5)))
  })
  test('reads a listing once, for all questions', () => {
    let reads = 0
    const counting = new Proxy(text('Makes any logo', { name: 'Logo maker' }), {
      get: (of, part) => {
        reads++
        return Reflect.get(of, part)
      },
    })
    const index = new MarketIndex([...others, counting])
    const atOpening = reads
    for (const task of ['make a logo', 'draw a logo', 'logo']) expect(index.find(task)).toHaveLength(1)
    expect(reads).toBe(atOpening)
  })
  test('reads so much of a listing, and no more', () => {
    const much = 'of any word '.repeat(400)
    for (const parts of [{ name: `${much}logo` }, { tags: [`${much}logo`] }, { description: `${much}logo` }])
      expect(found([...others, text('Draws it', parts)], 'logo')).toEqual([])
    const clauses = text(`${'make;'.repeat(60)}erase a logo`, { tags: ['logo'] })
    expect(found([...others, clauses], 'erase a logo')).toEqual([])
  })
  test('reads tags and paths before descriptions', () => {
    const tagged = text('Something of any address', { tags: ['screenshot'] })
    const path = text('Something else of an address', { url: 'https://seller.dev/takeScreenshot' })
    expect(found([text('A screenshot of any address'), tagged, path, ...others], 'screenshot')).toEqual([
      1, 2, 0,
    ])
  })
  test('ignores addresses and ids', () => {
    const listed = text('A merchant', { url: `https://seller.dev/0x${'ab'.repeat(20)}/stats` })
    expect(found([listed, ...others], 'ababababababababababababababababababab')).toEqual([])
  })
  test('finds nothing if most of the task is unknown', () => {
    expect(found(others, 'weather zyx')).toEqual([0])
    expect(found(others, 'price zyx')).toEqual([])
    expect(found(others, 'weather on the zyxian zwvonki')).toEqual([])
  })
  test('asks for the meaning of a task, not for what all tools are applied to', () => {
    const embeddings = text('Embeddings of a text with a language model')
    const arbitrage = text('Sports arbitrage: bets on both sides with a profit and never a loss')
    const balances = text('Token balances of a wallet')
    const sold = [...others, embeddings, arbitrage, balances]
    expect(found(sold, 'translate a text')).toEqual([])
    expect(found(sold, 'wallet profit and loss')).toEqual([])
    expect(found(sold, 'text embeddings')).toEqual([3])
    expect(found(sold, 'sports arbitrage')).toEqual([4])
    const translator = text('Translation of texts between 40 languages')
    const pnl = text('P&L of any wallet, realised and unrealised')
    expect(found([...sold, translator, pnl], 'translate a text')).toEqual([6])
    expect(found([...sold, translator, pnl], 'wallet profit and loss')).toEqual([7])
  })
  test('does not take a deed for its object', () => {
    const colours = text('Convert a colour to RGB')
    const signed = text('Upload a file and get a signed URL')
    const signer = text('Electronic signatures: sign a PDF by several people')
    expect(found([...others, colours, signed], 'sign a PDF')).toEqual([])
    expect(found([...others, colours, signed], 'convert a PDF to Word')).toEqual([])
    expect(found([...others, colours, signed], 'convert a colour')).toEqual([3])
    expect(found([...others, colours, signed, signer], 'sign a PDF')).toEqual([5])
  })
  test('does not take a tool for the same thing for what is wanted of it', () => {
    const phone = text('Validates a phone number', { url: 'https://seller.dev/phone-intel' })
    const breach = text('Check if a password has leaked', { url: 'https://seller.dev/password' })
    const sold = [...others, phone, breach]
    expect(found(sold, 'price of a used phone')).toEqual([])
    expect(found(sold, 'compare mobile phone plans')).toEqual([])
    expect(found(sold, 'generate a strong password')).toEqual([])
    expect(
      found([...sold, text('Strong passwords from a password generator')], 'generate a strong password'),
    ).toEqual([5])
    expect(found(sold, 'phone number')).toEqual([3])
  })
  test.each([
    ['PDF to HTML', 'Convert HTML to PDF', 'HTML to PDF'],
    ['image to text', 'Generate an image from a text prompt', 'text to image'],
    ['french to english translation', 'Translation, English to French', 'english to french translation'],
    ['speech to text', 'Text-to-speech in many voices', 'text to speech'],
    ['speech to text', 'TTS with the speech of actors, from text', 'text to speech'],
    ['delete a domain', 'Register a domain', 'register a domain'],
    ['register a domain', 'Delete a domain', 'delete a domain'],
    ['cancel a flight', 'Search flights', 'search flights'],
    ['swap tokens', 'A token trading signal every minute', 'token trading signal'],
    ['swap tokens', 'A real-time feed of swaps of tokens', 'feed of token swaps'],
    ['swap tokens', 'Swap volume of all tokens, by the day', 'swap volume'],
    ['stake ETH', 'Staking yields of ETH and other coins', 'staking yields of ETH'],
    ['convert PDF to HTML', 'Document reader: HTML of pages as text', 'text of HTML pages'],
    ['decode a QR code', 'Makes a QR code of any text', 'qr code'],
    ['deploy a contract', 'New contracts deployed on Base', 'contracts deployed on Base'],
    ['deploy a contract', 'Contract info: verification status, deployer, compiler', 'contract verification'],
    ['post a tweet', 'The latest posts and tweets of a community', 'tweets of a community'],
    ['register a domain', 'Domain registration metadata', 'domain registration metadata'],
    ['create a wallet', 'Newly created wallets and what they hold', 'newly created wallets'],
    ['revoke token approvals', 'All token approvals of a wallet', 'token approvals'],
    ['lend ETH', 'Lending liquidations of ETH positions', 'lending liquidations'],
    ['please write a contract', 'Contract review, template creation', 'contract review'],
    ['monitor a website', 'Parses feeds so that agents can monitor websites', 'parse feeds'],
    ['read my inbox', 'Reads any page', 'read a page'],
    [
      'distance between two cities',
      'The distance of an option from its strike price',
      'distance of an option',
    ],
    ['PNG to SVG', 'Makes QR codes as SVG or PNG', 'QR codes as SVG'],
    ['short a token', 'Liquidations of short positions', 'short positions'],
    ['run a script', 'Reads a script of any film', 'script of a film'],
    ['open an account', 'What any account holds', 'account'],
    ['burn a token', 'Holders of a token', 'holders of a token'],
    ['enhance an image', 'Images of enhanced maps', 'images of maps'],
  ])('for %j sells no tool that does something else: %s', (task, sold, own) => {
    const listed = [...others, text(sold)]
    expect(found(listed, task)).toEqual([])
    expect(found(listed, own)).toContain(3)
  })
  test.each([
    ['PDF to HTML', 'Convert HTML to PDF, and PDF to HTML'],
    ['PDF to HTML', 'Converts between HTML and PDF'],
    ['text from an image', 'Image to text, by OCR'],
    ['EUR to USD rate', 'Exchange rate of two currencies, USD to EUR'],
    ['delete a domain', 'Register, renew or remove a domain'],
    ['cancel a flight', 'Book or cancel flights'],
    ['swap ETH to USDC', 'Swap any token on Base: ETH, USDC'],
    ['swap ETH to USDC', 'A quote for a swap of ETH, and feeds of others'],
    ['swap price impact', 'The estimated price impact of a swap'],
    ['swaps of a token', 'Each dex trade of a token'],
    ['deploy a contract', 'Deploys any contract'],
    ['deploy a contract', 'Contract deployment in one call'],
    ['make a video', 'Create video with a model'],
    ['send an email', 'Email notification service'],
    ['upscale images', 'Generate, edit, and upscale images'],
    ['rewrite a text', 'AI text rewriting in any style'],
    ['hire employees', 'Strategist for hiring of employees'],
    ['i need to shorten a link', 'Shorten a URL'],
    ['explain a topic', 'Explains any topic to a five-year-old'],
    ['take a screenshot', 'Screenshots of any URL, by Chromium'],
    ['grab a screenshot of a website', 'Capture any URL as a PNG: screenshot of a website'],
    ['scrape a website', 'Extracts clean text from any page of a website'],
    ['crawl this website', 'Extracts clean text from any page of a website'],
    ['run a web search', 'Web search with ten results'],
    ['view the balance of a wallet', 'Balance of any wallet'],
    ['determine the price of gold', 'Gold price, every minute'],
    ['forecast the weather', 'Weather of any city, hour by hour'],
    ['predict the weather', 'Weather of any city, hour by hour'],
    ['weather this weekend', 'Weather of any city, hour by hour'],
    ['gas all chains', 'Gas of all chains'],
    ['call an LLM', 'Chat completion of an LLM'],
    ['OCR a PDF', 'OCR of a PDF'],
    ['open a web page', 'Web page as clean text'],
    ['encode a link as a QR code', 'Makes a QR code of any link'],
  ])('for %j sells what does it beside others: %s', (task, sold) =>
    expect(found([...others, text(sold)], task)).toContain(3),
  )
  test('does not sell what a tool asks for', () => {
    const carrier = text('Validates any phone number and tells its carrier', { parameters: ['phone'] })
    const directory = text('Phone number of a business', { parameters: ['business'] })
    expect(found([...others, carrier], 'phone number of a business')).toEqual([])
    expect(found([...others, carrier], 'carrier of a phone number')).toEqual([3])
    expect(found([...others, directory], 'phone number of a business')).toEqual([3])
  })
  test('takes little of what only stuffed tags say', () => {
    const words =
      'swap eth convert pdf html image audio translate domain flight hotel book chess radio'.split(' ')
    const stuffed = text('A signal every minute', { tags: words })
    expect(found([...others, stuffed], 'swap ETH to USDC')).toEqual([])
    expect(found([...others, text('A signal every minute', { tags: ['swap', 'eth'] })], 'swap ETH')).toEqual([
      3,
    ])
    expect(found([...others, { ...stuffed, description: 'Swap ETH for any token' }], 'swap ETH')).toEqual([3])
  })
  test('counts a word that a listing mentions late for less', () => {
    const first = 'Reads blocks, transactions, addresses, balances, gas, fees, logs, topics, traces'.split(
      ' ',
    )
    const late = text([...first, ...Array(20).fill('and of'), 'a vector of colours'].join(' '))
    const early = text(['A vector of colours', ...first].join(' '))
    expect(found([...others, late], 'vector search of documents')).toEqual([])
    expect(found([...others, early], 'vector of colours')).toEqual([3])
  })
  test('takes no word for another that begins otherwise, or is short', () => {
    const numbers = text('The number and the fact of a block')
    expect(found([...others, numbers], 'find a plumber')).toEqual([])
    expect(found([...others, numbers], 'facz')).toEqual([])
    expect(found([...others, numbers], 'numberz')).toEqual([3])
  })
  test('does not ask for the case that a tool is applied to', () => {
    expect(found(others, 'weather in zyx')).toEqual([0])
    expect(found(others, 'geocode an address near zwvonki')).toEqual([2])
  })
  test.each([
    ['queries', 'query'],
    ['boxes', 'box'],
    ['prices', 'pric'],
    ['price', 'pric'],
    ['trending', 'trend'],
    ['status', 'status'],
  ])('%s is %s', (word, stemmed) => expect(stem(word)).toBe(stemmed))
})

test('the ranking knows no name of its own', () => {
  const ranking = globSync(
    '{pipelines/domains/market/{words,task-words,categories},services/origins/data/market/{listing-index,order}}.ts',
  )
  expect(ranking).toHaveLength(5)
  for (const file of ranking) expect(readFileSync(file, 'utf8')).not.toMatch(/farebox|tollkit/i)
})

const reached = {
  older: { ndcg: 0.91, empty: 0, guessed: 0 },
  tuned: { ndcg: 0.85, empty: 1, guessed: 0 },
  apart: { ndcg: 0.9, empty: 2, guessed: 0 },
  viewed: { ndcg: 0.66, empty: 6, guessed: 0 },
  unviewed: { ndcg: 0.79, empty: 2, guessed: 0 },
  opened: { ndcg: 0.74, empty: 8, guessed: 0 },
  last: { ndcg: 0.75, empty: 2, guessed: 1 },
  orders: { ndcg: 0.89, empty: 0, guessed: 0 },
  ordersApart: { ndcg: 0.61, empty: 2, guessed: 0 },
  strictApart: { ndcg: 0.88, empty: 2, guessed: 5 },
  strict: { ndcg: 0.89, empty: 2, guessed: 0 },
  fresh: { ndcg: 0.64, empty: 4, guessed: 4 },
  final: { ndcg: 0.71, empty: 2, guessed: 6 },
}

testRecorded(
  'on a recorded catalog tasks find their sellers, and what nobody sells is refused',
  ({ samples }) => {
    const market = recordedMarket(samples)
    for (const [set, tasks] of Map.groupBy(judgedTasks(), ({ set }) => set ?? ('older' as const))) {
      const { ndcg, empty, guessed } = judge(tasks, market)
      expect({ set, ndcg, empty, guessed }).toEqual({
        set,
        ndcg: expect.closeTo(Math.max(ndcg, reached[set].ndcg), 9),
        empty: Math.min(empty, reached[set].empty),
        guessed: Math.min(guessed, reached[set].guessed),
      })
    }
  },
)
