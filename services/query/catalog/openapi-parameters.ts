/** What a paid call takes beside its body, as openapi.json says it once for all operations. */

export const parameters = {
  Fields: {
    name: 'fields',
    in: 'query',
    required: false,
    schema: { type: 'array', items: { type: 'string' } },
    style: 'form',
    explode: false,
    description:
      'The fields of the answer that you want, with commas between them, and points within fields and lists (receipt.payment_tx). Absent: all. receipt always comes. The price is the same',
  },
  PaymentSignature: {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 8192 },
    description:
      'The payment: base64 of JSON of x402 v2, as a client signs it for one entry of accepts in PAYMENT-REQUIRED. Absent: 402. Its extensions["payment-identifier"].info.id (16 to 128 letters, digits, _ or -), which the client makes up, gets the answer of this very payment again as an Idempotency-Key does',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', minLength: 8, maxLength: 128 },
    description:
      'For 10 minutes the same key, path and body get the paid answer again. idempotency_conflict: another call holds the key or the payment-identifier now, or it has bought an answer that is not given for it alone',
  },
  SignInWithX: {
    name: 'SIGN-IN-WITH-X',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description:
      'Beside a payment that was presented before: what its wallet has signed, as 409 payment_already_used asks in extensions. It is base64 of JSON, and gets an answer that was paid and lost, until kept_until',
  },
}

export const paidParameters = Object.keys(parameters).map(name => ({
  $ref: `#/components/parameters/${name}`,
}))
