/**
 * Prices beside a badge. The forms are those of shop templates in public repositories, found by searching for the text
 * of a badge; the products are ours.
 */
import { describe, expect, it } from 'vitest'
import { block, cup, page, productIn } from './pages.ts'

const buy = '<button>Add to cart</button>'
const priceOf = (html: string) => productIn(page(html)).facts.offers

const reduced: Record<string, string> = {
  'before the price, in one box': `<div class="price"><span>€100.00</span> <span>€80.00</span> <span class="badge">-20%</span></div>${buy}`,
  'without a name of any element': `<div><span>€100.00</span><span>€80.00</span></div><div>20% OFF</div>${buy}`,
  'above both': `<div class="ribbon red"><span><i class="fa fa-star"></i>20% off</span></div><h2 class="price">€100.00</h2><p>€80.00</p>${buy}`,
  'with its word in another element': `<p><b>Save</b> <i>20 %</i></p><p class="price"><b>€100</b> <span>€80</span></p>${buy}`,
  'in German': `<p class="preis"><b>100,00 €</b> <span>80,00 €</span></p><p>Sie sparen 20 %</p>${buy}`,
  'in French': `<p class="prix">100,00 € <em>80,00 €</em></p><p>Remise de 20%</p>${buy}`,
  'of a rounded rate': `<p class="price"><b>€89.90</b> <span>€74.50</span></p><p>-17%</p>${buy}`,
  'with the amount beside the rate': `<div><b>€100.00</b> <span>€80.00</span></div><div>You save: €20.00 (20%)</div>${buy}`,
  'in Polish': `<p><b>€100,00</b> <span>€80,00</span></p><p>Rabat 20%</p>${buy}`,
  'in Danish': `<p><b>€100,00</b> <span>€80,00</span></p><p>Spar 20%</p>${buy}`,
  'in Turkish, with the sign first': `<p><b>€100,00</b> <span>€80,00</span></p><p>%20 indirim</p>${buy}`,
  'as a sale': `<p>Sale 20%</p><p class="price"><b>€100.00</b> <span>€80.00</span></p>${buy}`,
  'of a deal': `<p>Limited time deal -20%</p><p class="price"><b>€100.00</b> <span>€80.00</span></p>${buy}`,
  'beside a price of utility classes': `<p class="mb-2"><span class="text-sm line-through ml-2">€100.00</span><span class="text-2xl font-bold">€80.00</span><span class="ml-2 text-red-500">20% off</span></p>${buy}`,
}

const pair = (behind: string) => `<p class="price"><b>€100.00</b></p><p>Save 20%</p>${behind}${buy}`
const behind: Record<string, string> = {
  'a question in another element': pair('<div>€80.00</div><p>If you have questions, ask us.</p>'),
  'a heading': pair('<div>€80.00</div><h3>When will it ship?</h3>'),
  'a warning': pair('<div>€80.00</div><p>Once it is gone, it is gone.</p>'),
  'a rate': pair('<div>€80.00 after 20% off</div>'),
  'the word discount': pair('<p><b>€80.00</b> after discount</p>'),
  'a sentence of the same line': pair('<p><b>€80.00</b> <span>If you like it, buy it</span></p>'),
  'a code in another element': pair('<div>€80.00</div><p>With code CUP you get a cup free</p>'),
}

describe('of two prices with a badge of their ratio the lower counts', () => {
  it.each(Object.entries(reduced))('%s', (_, html) => {
    const { price } = priceOf(html) as { price: string }
    expect([80, 74.5]).toContain(Number(price))
  })

  it.each(Object.entries(behind))('and %s behind it is no condition', (_, html) =>
    expect(priceOf(html)).toMatchObject({ price: '80.00' }),
  )

  it('and a declared price that is the higher one is doubted', () => {
    const offers = { ...cup.offers, price: '100.00' }
    const html = `<p class="price"><b>€100.00</b> <span>€80.00</span></p><p>-20%</p>${buy}`
    expect(productIn(page(html, { head: block({ ...cup, offers }) }))).toMatchObject({
      facts: { offers: { price: '100.00' } },
      warnings: ['declared_price_differs_from_page'],
    })
  })
})

it.each(['line-through text-gray-400', 'text-decoration-line-through'])(
  'a price that the class %s crosses out is over, also without a badge',
  name => {
    const html = `<p><span class="text-2xl">€80.00</span><b class="${name}">€100.00</b></p>${buy}`
    expect(priceOf(html)).toMatchObject({ price: '80.00' })
  },
)

const kept: Record<string, string> = {
  'without a badge': `<p class="price"><b>€100.00</b></p><p>€80.00</p>${buy}`,
  'with a badge of another ratio': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>-30%</p>${buy}`,
  'with a rate that is no discount': `<p class="price"><b>€100.00</b></p><p>€80.00 net</p><p>incl. 20% VAT</p>${buy}`,
  'with a share of a fibre': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% wool</p>${buy}`,
  'with a discount for members': `<p class="price"><b>€100.00</b></p><p class="member">€80.00</p><p>-20% for members</p>${buy}`,
  'with a discount at most': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>up to 20% off</p>${buy}`,
  'with a price upon a condition': `<p class="price"><b>€100.00</b></p><p><b><span>SAVE 20%: <span>€80.00</span></span></b> upon approval. <a href="#">Learn more about the card of our house</a></p>${buy}`,
  'with a price with a code': `<p class="price"><b>€100.00</b></p><p>Save 20%</p><p><span>€80.00</span> <span>with code CUP, until the end of the whole of this month</span></p>${buy}`,
  ...Object.fromEntries(
    [
      'with Acme Card',
      'with your Acme Circle Card',
      'once approved',
      'subject to credit approval',
      'after coupon',
      'for members',
      'with membership',
      'when you subscribe',
      'at checkout',
      'in cart',
    ].flatMap(condition => [
      [`with a price ${condition}`, pair(`<p><span>€80.00</span> ${condition}</p>`)],
      [`with a price ${condition} in one text`, pair(`<div>€80.00 ${condition}</div>`)],
    ]),
  ),
  'with a discount for the next order': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% off your next order</p>${buy}`,
  'with a discount for students': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% off for students</p>${buy}`,
  'with a discount for a code': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% off with SAVE20</p>${buy}`,
  'with a discount for a customer’s trade': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% off for trade customers</p>${buy}`,
  'with a discount for a friend': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>Refer a friend: 20% off</p>${buy}`,
  'with a discount for a second piece': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>2nd cup 20% off</p>${buy}`,
  'with a discount for a quantity': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>-20% from 2 pieces</p>${buy}`,
  'with a discount for a way to pay': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% off on bank transfer</p>${buy}`,
  'with a discount for those who sign up': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>Sign up and save 20%</p>${buy}`,
  'with a badge whose condition stands beside it': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p><b>-20%</b> for Plus buyers</p>${buy}`,
  'with less of something else': `<p class="price"><b>€100.00</b></p><p>€80.00</p><p>20% less glare</p>${buy}`,
  'with the badge of a neighbour': `<p class="price"><b>€100.00</b></p>${buy}<section class="related"><p>Plate</p><a href="/plate"><b>€80.00</b></a><p>-20%</p></section>`,
  'in another currency': `<p class="price"><b>€100.00</b></p><p>$80.00</p><p>-20%</p>${buy}`,
}

it.each(Object.entries(kept))('%s the price stays', (_, html) => {
  expect(priceOf(html)).toMatchObject({ price: expect.stringMatching(/^100/) })
})
