/** Runs in the browser: asks, pays with play money, and shows each step as it happens. */
const part = name => document.getElementById(`try-${name}`)
const { method, path, payAt } = document.getElementById('try').dataset
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
const encoded = value => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
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
}

async function ask(question, headers = {}) {
  const query = method === 'GET' ? `?${new URLSearchParams(question)}` : ''
  const body = method === 'GET' ? {} : { body: JSON.stringify(question) }
  const since = performance.now()
  const response = await fetch(path + query, {
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
  tell(
    'quote',
    `402 in ${unpaid.took} ms. The quote offers ${quote.accepts.length} networks. This one is paid:`,
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

function answered({ response, json, took }) {
  if (!response.ok) return refused(response, json)
  const { receipt, ...answer } = json
  tell('answer', `200 in ${took} ms. The answer:`, answer, 'good')
  if (!receipt) return
  const { transaction } = decoded(response.headers.get('payment-response'))
  tell(
    'receipt',
    `${receipt.price_usdc} USDC were charged on ${receipt.network}, in ${transaction}. The receipt:`,
    receipt,
  )
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
