/** Runs in the browser: asks, pays with play money or with the caller's wallet, and shows each step as it happens. */
const part = name => document.getElementById(`try-${name}`)
const {
  method,
  path,
  url,
  payAt,
  drawer,
  drawings,
  id,
  wallets = '[]',
} = document.getElementById('try').dataset
const networks = JSON.parse(wallets)
const [button, steps] = [part('button'), part('steps')]

const text = (tag, content, className) => {
  const element = document.createElement(tag)
  element.textContent = content
  if (className) element.className = className
  return element
}
const pretty = value => JSON.stringify(value, null, 2)
const decoded = header =>
  JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(header), c => c.charCodeAt(0))))
const encoded = value =>
  btoa(
    Array.from(new TextEncoder().encode(JSON.stringify(value)), byte => String.fromCharCode(byte)).join(''),
  )
const usd = atoms => `${Number(atoms) / 1e6} USDC`

const isFields = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const isFlat = value => typeof value !== 'object' || value === null
const words = name => name.replaceAll('_', ' ')
const [mostRows, mostText] = [12, 400]

/** An answer as people read it: names and values, and lists of alike things as tables. */
function readable(value) {
  if (Array.isArray(value)) return listed(value)
  if (!isFields(value)) return scalar(value)
  const list = text('dl', '', 'read')
  for (const [name, each] of Object.entries(value)) {
    const shown = document.createElement('dd')
    shown.append(readable(each))
    list.append(text('dt', words(name)), shown)
  }
  return list
}

function listed(values) {
  const shown = values.slice(0, mostRows)
  if (shown.length === 0) return text('span', 'none', 'quiet')
  if (shown.every(isFlat)) return scalar(values.map(String).join(', '))
  if (!shown.every(each => isFields(each) && Object.values(each).every(isFlat))) {
    const list = document.createElement('ol')
    for (const each of shown) {
      const item = document.createElement('li')
      item.append(readable(each))
      list.append(item)
    }
    return list
  }
  const names = [...new Set(shown.flatMap(each => Object.keys(each)))]
  const table = document.createElement('table')
  table.createTHead().append(rowOf(names.map(name => text('th', words(name)))))
  const body = table.createTBody()
  for (const each of shown)
    body.append(
      rowOf(
        names.map(name => {
          const cell = document.createElement('td')
          cell.append(scalar(each[name]))
          return cell
        }),
      ),
    )
  const box = document.createElement('div')
  Object.assign(box, { className: 'wide', tabIndex: 0 })
  box.setAttribute('role', 'group')
  box.setAttribute('aria-label', 'A part of the answer')
  box.append(table)
  return box
}

function rowOf(cells) {
  const row = document.createElement('tr')
  row.append(...cells)
  return row
}

function scalar(value) {
  if (value === null || value === undefined) return text('span', 'not known', 'quiet')
  if (typeof value === 'boolean') return document.createTextNode(value ? 'yes' : 'no')
  const written = String(value)
  return document.createTextNode(written.length > mostText ? `${written.slice(0, mostText)}…` : written)
}

/** A field for a place suggests some. Who cannot load that has a field. */
if (document.querySelector('[data-place]'))
  import('/places.js').catch(error => console.warn(`No place is suggested: ${error?.message ?? error}`))

/** The form and the JSON say the same. Who changes one changes the other. */
const controls = [...document.querySelectorAll('[data-field]')]
const readers = {
  number: Number,
  boolean: value => value === 'true',
  list: value =>
    value
      .split('\n')
      .map(line => line.trim())
      .filter(Boolean),
}
function intoJson({ currentTarget: { dataset, value } }) {
  let question
  try {
    question = JSON.parse(part('question').value || '{}')
  } catch {
    question = {}
  }
  if (value.trim() === '') delete question[dataset.field]
  else question[dataset.field] = (readers[dataset.kind] ?? String)(value)
  part('question').value = pretty(question)
}
function intoForm() {
  let question
  try {
    question = JSON.parse(part('question').value || '{}')
  } catch {
    return
  }
  for (const control of controls) {
    const value = question?.[control.dataset.field]
    control.value = Array.isArray(value) ? value.join('\n') : (value ?? '')
  }
}
for (const control of controls) control.addEventListener('input', intoJson)
part('question').addEventListener('input', intoForm)

/** How each language writes a question. The server has written the example in the same way. */
const inPython = { true: 'True', false: 'False', null: 'None' }
const forms = {
  json: question => JSON.stringify(question),
  lines: question => pretty(question).replaceAll('\n', '\n  '),
  python: question =>
    JSON.stringify(question).replace(/"(?:[^"\\]|\\.)*"|true|false|null/g, each => inPython[each] ?? each),
  go: question => JSON.stringify(JSON.stringify(question)),
  shell: question => `'${JSON.stringify(question).replaceAll("'", "'\\''")}'`,
  address: question => addressOf(url + path, question),
}
const addressOf = (at, question) => {
  const query = String(new URLSearchParams(question))
  return query ? `${at}?${query}` : at
}
const example = JSON.parse(part('question').value)
const codes = [...document.querySelectorAll('[data-asks]')].map(shown => {
  const written = shown.textContent
  const asked = forms[shown.dataset.asks](example)
  return { shown: shown.querySelector('code'), form: forms[shown.dataset.asks], parts: written.split(asked) }
})
/** The code below asks what stands in the form. */
function intoCode() {
  let question
  try {
    question = JSON.parse(part('question').value)
  } catch {
    return
  }
  for (const { shown, form, parts } of codes) shown.textContent = parts.join(form(question))
}
for (const control of [...controls, part('question')]) control.addEventListener('input', intoCode)

/** Adds a step: a line that says what happened, and the data behind it. */
function tell(name, line, detail, className) {
  const item = document.createElement('li')
  item.dataset.step = name
  item.append(text('p', line, className))
  if (name === 'answer') item.append(readable(detail))
  if (detail !== undefined) {
    const shown = text('pre', pretty(detail))
    shown.tabIndex = 0
    item.append(shown)
  }
  steps.append(item)
  return item
}

/** The server's own drawings, which escape what strangers have written. Who cannot load them has the answer below. */
async function draw(item, answer) {
  try {
    const [{ drawingsOf }, own] = await Promise.all([import(drawer), drawings ? import(drawings) : {}])
    const shown = drawingsOf(answer, Object.values(own)[0]?.of[id])
    if (shown) item.querySelector('p').insertAdjacentHTML('afterend', shown)
  } catch (error) {
    console.warn(`The answer is not drawn: ${error?.message ?? error}`)
  }
}

async function ask(question, headers = {}) {
  const at = method === 'GET' ? addressOf(path, question) : path
  const body = method === 'GET' ? {} : { body: JSON.stringify(question) }
  const since = performance.now()
  const response = await fetch(at, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...body,
  })
  return { response, json: await response.json(), took: Math.round(performance.now() - since) }
}

async function buy(question) {
  const unpaid = await ask(question)
  if (unpaid.response.status !== 402) return answered(unpaid)
  const quote = decoded(unpaid.response.headers.get('payment-required'))
  const accepted = quote.accepts.find(({ network }) => network === part('network').value)
  return payAt ? playWith(question, quote, accepted, unpaid.took) : tellPrice(question, quote, accepted)
}

async function playWith(question, quote, accepted, took) {
  tell(
    'quote',
    `402 in ${took} ms. The quote offers ${quote.accepts.length} networks. This one is paid:`,
    accepted,
  )
  const paying = await fetch(
    `${payAt}?${new URLSearchParams({ accepted: JSON.stringify(accepted), resource: quote.resource.url })}`,
  )
  const payment = await paying.json()
  if (!paying.ok) return refused(paying, payment)
  tell(
    'payment',
    `The wallet has signed ${usd(accepted.amount)}. It goes into PAYMENT-SIGNATURE:`,
    payment.payload,
  )
  return answered(await ask(question, { 'payment-signature': encoded(payment) }))
}

/** A signature that is not used must end soon. */
const mostSeconds = 600
/** What was signed on this page, in atoms. It is gone with the page. */
let spent = 0n
/** An amount that is no plain number allows nothing. */
const atomsOf = text => {
  const [, whole, part = ''] = /^(\d*)\.?(\d*)$/.exec(text.trim()) ?? [undefined, '0']
  return BigInt(whole || 0) * 1_000_000n + BigInt(part.slice(0, 6).padEnd(6, '0'))
}
const no = line => tell('refused', line, undefined, 'bad')

function overCap(amount) {
  if (amount > atomsOf(part('cap').value)) return 'It costs more than you allow for a call.'
  if (spent + amount > atomsOf(part('cap-all').value))
    return 'With it, this page would cost more than you allow in all.'
}

/** The quote in words, and a button that has the wallet sign. Nothing is signed before. */
function tellPrice(question, quote, offer) {
  const network = networks.find(({ id }) => id === offer?.network)
  if (!network || offer.scheme !== 'exact' || offer.asset !== network.asset)
    return no('The quote asks for another coin than USDC on this network. Nothing was signed.')
  const lasts = offer.maxTimeoutSeconds
  if (!Number.isInteger(lasts) || lasts < 1 || lasts > mostSeconds)
    return no('The quote asks for a signature that is good for too long. Nothing was signed.')
  const item = tell(
    'quote',
    `This answer costs ${usd(offer.amount)} on ${network.title}. It goes to ${offer.payTo}. The signature is good for ${offer.maxTimeoutSeconds} seconds, for this one payment.`,
  )
  const over = overCap(BigInt(offer.amount))
  if (over) return no(`${over} Nothing was signed.`)
  const wallet = chosen(network)
  if (!wallet) return no(`No wallet for ${network.title} was found in this browser. Nothing was signed.`)
  const pay = text('button', `Pay ${usd(offer.amount)} with ${wallet.name}`, 'main')
  pay.type = 'button'
  pay.id = 'try-pay'
  item.append(pay)
  const work = async () => {
    const isSigned = await payWith(wallet, network, { question, quote, offer })
    pay.disabled = isSigned
  }
  pay.addEventListener('click', () => once(pay, work))
  pay.focus()
}

/** What a wallet throws is its own, too. */
function reasonOf(error) {
  try {
    return String(error?.message ?? error).slice(0, mostText)
  } catch {
    return 'it does not say why'
  }
}

/** Whether it was signed. What was not can be paid again. */
async function payWith(wallet, network, { question, quote: { resource, extensions }, offer }) {
  const over = overCap(BigInt(offer.amount))
  if (over) {
    no(`${over} Nothing was signed.`)
    return false
  }
  let payload
  // Before the wallet is asked: two of its windows may be open at once.
  spent += BigInt(offer.amount)
  try {
    payload = await module.signedBy(wallet, network, offer)
  } catch (error) {
    spent -= BigInt(offer.amount)
    no(`${wallet.name} did not sign: ${reasonOf(error)}. Nothing was charged.`)
    return false
  }
  tell('payment', `${wallet.name} has signed ${usd(offer.amount)}. It goes into PAYMENT-SIGNATURE:`, payload)
  await send(question, {
    x402Version: 2,
    resource,
    accepted: offer,
    payload,
    ...(extensions && { extensions }),
  })
  return true
}

/** The same payment never pays twice, so it can be sent again until its end is known. */
async function send(question, payment) {
  const again = (line, className) => {
    const item = tell('again', line, undefined, className)
    const button = text('button', 'Ask again with the same payment')
    button.type = 'button'
    item.append(button)
    button.addEventListener('click', () => once(button, () => send(question, payment)))
  }
  let heard
  try {
    heard = await ask(question, { 'payment-signature': encoded(payment) })
  } catch {
    return again(
      'Nobody answers. Whether the payment was charged is not known yet; the same one never pays twice.',
      'bad',
    )
  }
  try {
    answered(heard)
  } catch (error) {
    return again(
      `The answer cannot be read: ${error?.message ?? error}. The same payment never pays twice.`,
      'bad',
    )
  }
  if (!heard.response.ok && heard.json?.charged !== false) again('The same payment never pays twice.')
}

/** Meanwhile no other price is asked for. */
async function once(pressed, work) {
  pressed.disabled = true
  button.disabled = true
  try {
    await work()
  } finally {
    button.disabled = isUnknown()
  }
}
/** A payment whose end is not known stays on the page, so that it can be sent again and no second one is signed. */
const isUnknown = () => steps.querySelector('[data-step=again] button:enabled') !== null

/** The wallets of the chosen network. The one that is asked pays. */
let module
const walletsOf = network => module?.walletsOf(network) ?? []
const networkNow = () => networks.find(({ id }) => id === part('network').value)
const chosen = network => walletsOf(network).find(({ name }) => name === part('wallet').value)
function showWallets() {
  const names = walletsOf(networkNow()).map(({ name }) => name)
  const options = names.length ? names.map(name => [name, name]) : [['', 'none found in this browser']]
  part('wallet').replaceChildren(
    ...options.map(([value, shown]) => Object.assign(text('option', shown), { value })),
  )
}
if (networks.length && part('wallet')) {
  module = await import('./try-it-wallet.js')
  part('network').addEventListener('change', showWallets)
  module.findWallets(showWallets)
}

function answered({ response, json, took }) {
  if (!response.ok) return refused(response, json)
  const { receipt, ...answer } = json
  draw(tell('answer', `200 in ${took} ms. The answer:`, answer, 'good'), answer)
  if (!receipt) return
  const { transaction, network } = decoded(response.headers.get('payment-response'))
  const item = tell(
    'receipt',
    `${receipt.price_usdc} USDC were charged on ${receipt.network}, in ${transaction}. The receipt:`,
    receipt,
  )
  const { explorer } = networks.find(({ id }) => id === network) ?? {}
  if (!explorer) return
  const link = text('a', 'The transaction on its chain')
  Object.assign(link, { href: explorer.replace('{tx}', encodeURIComponent(transaction)), rel: 'noreferrer' })
  item.append(link)
}

const refused = ({ status }, { error, message }) =>
  tell('refused', `${status} ${error}: ${message}`, undefined, 'bad')

button.addEventListener('click', async () => {
  steps.replaceChildren()
  button.disabled = true
  try {
    await buy(JSON.parse(part('question').value || '{}'))
  } catch (error) {
    const isOurs = error instanceof SyntaxError
    tell(
      'refused',
      isOurs ? `The question is not JSON: ${error.message}` : `Nobody answers: ${error.message}`,
      undefined,
      'bad',
    )
  } finally {
    button.disabled = false
  }
})
