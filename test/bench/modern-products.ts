/** Product pages of 2025 and 2026 out of WCXB, against prices that were read off the pages by hand. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { OfferRange, ProductOffer } from '../../pipelines/domains/product/facts.ts'
import { compare, isSameAmount } from '../../pipelines/domains/product/price.ts'
import { comparable, readPage } from '../product-pages.ts'
import { askPeers } from './product-peers.ts'

/** Without a price: the page shows none for its product, and many for others. */
type Truth = { price?: string; currency?: string }

/** `folder` is a clone of WCXB. */
export function modern(folder: string): void {
  const truths = JSON.parse(readFileSync(new URL('wcxb-prices.json', import.meta.url), 'utf8'))
  const pages = Object.entries(truths as Record<string, Truth>).map(([id, truth]) => {
    const { url } = JSON.parse(readFileSync(join(folder, 'dev/ground-truth', `${id}.json`), 'utf8'))
    const html = gunzipSync(readFileSync(join(folder, 'dev/html', `${id}.html.gz`))).toString('utf8')
    return { truth, url: url as string, html }
  })
  const ours = pages.map(page => {
    const { facts = {} } = readPage(page).product ?? {}
    return { ...comparable(facts), offers: facts.offers }
  })
  console.log(`\nproducts of WCXB: ${pages.length} pages    prices right   wrong   missed   currencies right`)
  print('Farebox', pages, ours)
  const theirs = askPeers(pages)
  if (theirs) print('extruct', pages, theirs)
}

type Found = Truth & { offers?: ProductOffer | OfferRange | undefined }

function print(who: string, pages: readonly { truth: Truth }[], found: readonly Found[]): void {
  const judged = pages.map(({ truth }, i) => ({ truth, is: found[i] as Found }))
  const right = judged.filter(({ truth, is }) => isRight(truth, is)).length
  const missed = judged.filter(({ truth, is }) => truth.price && !is.price).length
  const currencies = judged.filter(({ truth, is }) => truth.currency && truth.currency === is.currency).length
  const figures = [right, pages.length - right - missed, missed, currencies].map(figure =>
    `${figure}`.padStart(9),
  )
  console.log(`${who.padEnd(34)}${figures.join('')}`)
}

/** A range is right where it holds the price that the page shows: the page shows one size of several. */
function isRight({ price }: Truth, { price: found, offers }: Found): boolean {
  if (price === undefined || found === undefined) return price === found
  if (offers?.kind !== 'many') return isSameAmount(price, found)
  return compare(found, price) <= 0 && compare(price, offers.high ?? found) <= 0
}
