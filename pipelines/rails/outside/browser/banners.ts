/** Code for inside a page: it hides banners that ask for consent. It answers none of them, in nobody's name. */

const names =
  'onetrust|cookiebot|usercentrics|didomi|sp_message|qc-cmp|truste|osano|klaro|cookie[-_]?(?:banner|consent|notice|bar|popup|law|policy|modal)|consent[-_]?(?:banner|manager|popup|modal|layer)|gdpr|cmp[-_]?(?:box|container|wrapper)'
const asks = 'cookie|consent|gdpr|rgpd|dsgvo|einwilligung|consentement|consentimiento|galletas'
const answers =
  'accept|agree|allow|reject|decline|refuse|got it|understood|necessary|akzeptieren|zustimmen|ablehnen|einverstanden|accepter|refuser|aceptar|rechazar|accetta|rifiuta|aceitar|rejeitar|akkoord|weigeren|godta|acceptera|hyv\\u00e4ksy|akceptuj'

/** Returns how many it has hidden. */
export const hidingBanners = `(() => {
  const [names, asks, answers] = [/${names}/i, /${asks}/i, /${answers}/i]
  const hide = element => element.style.setProperty('display', 'none', 'important')
  const isOver = element => {
    const { position, display } = getComputedStyle(element)
    return display !== 'none' && (position === 'fixed' || position === 'sticky' || element.matches('dialog[open]'))
  }
  const isAsking = element => {
    const text = String(element.innerText ?? '').slice(0, 6000)
    if (text.length > 5000 || !asks.test(text)) return false
    return [...element.querySelectorAll('button, a, input, [role=button]')].slice(0, 100)
      .some(each => answers.test(String(each.innerText || each.value || each.getAttribute('aria-label') || '').slice(0, 200)))
  }
  const all = [...document.querySelectorAll('body *')].slice(0, 30000).filter(isOver)
  let hidden = 0
  for (const element of all) {
    const name = element.id + ' ' + element.getAttribute('class') + ' ' + (element.getAttribute('src') ?? '')
    if (!names.test(name.slice(0, 1000)) && !isAsking(element)) continue
    hide(element)
    hidden += 1
  }
  if (!hidden) return 0
  for (const element of all) {
    const { width, height } = element.getBoundingClientRect()
    if (width >= innerWidth * 0.9 && height >= innerHeight * 0.9 && !String(element.innerText ?? '').trim()) hide(element)
  }
  for (const element of [document.documentElement, document.body]) {
    element.style.setProperty('overflow', 'visible', 'important')
    if (getComputedStyle(element).position === 'fixed') element.style.setProperty('position', 'static', 'important')
  }
  return hidden
})()`
