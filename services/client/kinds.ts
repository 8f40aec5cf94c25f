/** The typed data (EIP-712) of receipts. The version of each domain is 1, and its chain Ethereum, whichever network was paid on. */

export interface Kind {
  domain: string
  name: string
  fields: Readonly<Record<string, 'string' | 'uint256' | 'bytes32'>>
}

// kinds: derived from the service’s signer; `npm run docs` writes it.
export const receiptKind: Kind = {
  domain: 'x402 receipt',
  name: 'Receipt',
  fields: {
    version: 'uint256',
    network: 'string',
    resourceUrl: 'string',
    payer: 'string',
    issuedAt: 'uint256',
    transaction: 'string',
  },
}

export const answerKind: Kind = {
  domain: 'Farebox answer',
  name: 'Answer',
  fields: {
    resourceUrl: 'string',
    payer: 'string',
    transaction: 'string',
    questionSha256: 'bytes32',
    answerSha256: 'bytes32',
  },
}
// /kinds
