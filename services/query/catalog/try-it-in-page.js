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

/** Adds a step: a line that says what happened, and the data behind it. */
function tell(name, line, detail, className) {
  const item = document.createElement('li')
  item.dataset.step = name
  item.append(text('p', line, className))
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
