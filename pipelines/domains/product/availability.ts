/** The stock states of pages, in the words of schema.org. */

const states =
  'BackOrder Discontinued InStock InStoreOnly LimitedAvailability MadeToOrder OnlineOnly OutOfStock PreOrder PreSale Reserved SoldOut'.split(
    ' ',
  )
const byName = new Map(states.map(state => [state.toLowerCase(), state]))

const spoken: readonly (readonly [state: string, words: RegExp])[] = [
  ['OutOfStock', /^(oos|outofstock|soldout|unavailable|notavailable|notinstock|false|0)$/],
  ['InStock', /^(instock|available|availablefororder|onstock|true|1|yes|in)$/],
  ['PreOrder', /^(preorder|pending)$/],
  ['BackOrder', /^backorder(ed)?$/],
  ['LimitedAvailability', /^(limited|lowstock|limitedstock)$/],
  ['Discontinued', /^discontinued$/],
]

/** The name in a URL of schema.org, in lower case. Any other text stays whole. */
const lastPart = (text = ''): string => text.trim().split(/[/#]/).at(-1)?.toLowerCase() ?? ''

/** Reads a declared state: a URL of schema.org, its last word, or the word that shops write in its place. */
export function declaredState(text: string | undefined): string | undefined {
  const word = lastPart(text).replace(/[^a-z0-9]/g, '')
  return byName.get(word) ?? spoken.find(([, words]) => words.test(word))?.[0] ?? stateInWords(text ?? '')
}

const conditions: readonly (readonly [string, RegExp])[] = [
  ['NewCondition', /^(new(condition)?|neu|neuf|nuevo|nuovo|novo|nieuw|nowy|новый|brandnew)$/],
  ['UsedCondition', /^(used(condition)?|gebraucht|occasion|usado|usato|gebruikt|używany|preowned)$/],
  ['RefurbishedCondition', /^(refurbished(condition)?|renewed|generalüberholt|reconditionné)$/],
  ['DamagedCondition', /^damaged(condition)?$/],
]

export function conditionUrl(text: string | undefined): string | undefined {
  const word = lastPart(text).replace(/[\s_-]/g, '')
  const found = conditions.find(([, words]) => words.test(word))?.[0]
  return found && `https://schema.org/${found}`
}

/** The first match decides, because `not available` contains `available`. */
const words: readonly (readonly [state: string, words: RegExp])[] = [
  [
    'OutOfStock',
    /\b(out of stock|sold[ -]?out|currently unavailable|not available|no longer available|temporarily unavailable|unavailable|item has sold|has been sold)\b|nicht (?:mehr )?(?:auf lager|verfügbar|lieferbar|vorrätig)|ausverkauft|vergriffen|\b(indisponible|rupture de stock|en rupture|épuisé|plus disponible|victime de son succès)\b|\b(agotado|sin stock|sin existencias|no disponible|fuera de stock)\b|\b(non disponibile|esaurito|non è disponibile)\b|\b(esgotado|indisponível|sem estoque|fora de estoque|sem stock|não disponível)\b|\b(uitverkocht|niet op voorraad|niet leverbaar|niet beschikbaar)\b|\b(niedostępny|brak w magazynie|wyprzedane|produkt niedostępny)\b|(?<!\p{L})(нет в наличии|распродано|не доступен|нет на складе|товар закончился)|(vyprodáno|vypredané|není skladem|nie je na sklade|nedostupn|momentálně nedostup|izprodano|rasprodano|ni na zalogi)|品切れ|在庫切れ|在庫なし|缺货|售罄|已售完|품절|غير متوفر|نفدت/iu,
  ],
  [
    'PreOrder',
    /\b(pre-?order( now)?|vorbestell\w*|précommand\w*|reserva anticipada|preordina|pré-venda)\b|предзаказ|przedsprzedaż|předobjedn/iu,
  ],
  ['BackOrder', /\b(back-?order(ed)?|available on backorder|nachbestellt)\b/iu],
  [
    'LimitedAvailability',
    /\b(only \d+ left|low stock|limited stock|few left|nur noch \d+|plus que \d+|solo \d+ disponibles|últimas unidades|ultimi pezzi|nog maar \d+|ostatnie sztuki|hurry)\b/iu,
  ],
  [
    'InStock',
    /\b(in stock|in-stock|available now|available from|available for|ready to ship|ships (?:today|within)|usually (?:ships|dispatched))\b|auf lager|sofort (?:lieferbar|verfügbar)|\blieferbar\b|\berhältlich\b|vorrätig|verfügbar|\b(en stock|disponible|disponibilité immédiate|expédié sous)\b|\b(en existencias|hay stock)\b|\b(disponibile|disponibilità immediata|in magazzino)\b|\b(em stock|em estoque|disponível)\b|\b(op voorraad|direct leverbaar|voorradig)\b|\b(dostępny|w magazynie|na stanie|wysyłka)\b|в наличии|есть на складе|skladem|na sklade|na zalogi|na stanju|raktáron|in magazijn|在庫あり|有货|现货|有貨|재고|متوفر/iu,
  ],
]

/** Undefined if the words say nothing about stock. */
export const stateInWords = (text: string): string | undefined =>
  text.length > 400 ? undefined : words.find(([, form]) => form.test(text))?.[0]

/** The words on the buttons of shops that have the product. */
export const buyWords =
  /\b(add to (?:cart|bag|basket|trolley|my bag|shopping)|buy (?:it )?now|buy\b|purchase|order now|place (?:your )?(?:order|bid)|place bid|checkout|contact supplier|in den (?:einkaufswagen|warenkorb)|zum warenkorb|in den korb|jetzt kaufen|kaufen|bestellen|ajouter au panier|acheter|achat|commander|au panier|añadir (?:al carrito|a la cesta|a la bolsa)|agregar al carrito|comprar|aggiungi al carrello|acquista|compra|adicionar (?:ao carrinho|à sacola)|in winkelwagen|in winkelmand|toevoegen|dodaj do koszyka|do koszyka|kup teraz|kup)\b|в корзину|купить|заказать|(?<!\p{L})kupi(?!\p{L})|naruči|v košaro|do košíku|do košíka|vložit do|přidat do|koupit|kúpiť|u košaricu|dodaj u|v košarico|dodaj v|kosárba|カートに入れる|購入|加入购物车|加入購物車|立即购买|購物車|장바구니|구매|أضف إلى|sepete ekle|satın al|lägg i|köp|læg i kurv|kjøp|ielikt grozā|pirkt|į krepšelį/iu
