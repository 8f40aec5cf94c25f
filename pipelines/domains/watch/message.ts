/**
 * The text that a payee signs (EIP-4361, and its CAIP-122 form for Solana). We store nothing of it: a MAC in its last
 * line proves that we wrote it, so the returned text has all we need.
 */
import { randomBytes } from 'node:crypto'
import { familyOf } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Seal } from './seal.ts'

export const actions = ['subscribe', 'deliveries', 'replay', 'cancel', 'test'] as const
export type Action = (typeof actions)[number]

export interface Signable {
  action: Action
  /** Our origin, in https form. */
  origin: string
  /** As CAIP-2. */
  network: string
  /** EVM addresses have their checksum in upper and lower case. */
  address: string
  url: string
  /** Only for `subscribe`. */
  webhookUrl: string | undefined
}

export interface WatchMessage extends Signable {
  nonce: string
  expiresAt: number
}

export const messageMs = 15 * 60_000
/** The price of 30 days. */
export const subscriptionPriceUsd = '5.00'
const macLine = '\n- urn:farebox:mac:'

export function writeMessage(signable: Signable, seal: Seal, now: number): string {
  const { action, origin, network, address, url, webhookUrl } = signable
  const { host } = new URL(origin)
  const [, chain] = network.split(':')
  const lines = [
    `${host} wants you to sign in with your ${familyOf(network) === 'svm' ? 'Solana' : 'Ethereum'} account:`,
    address,
    '',
    statementOf(action, url, webhookUrl),
    '',
    `URI: ${origin}/weigh/${action}`,
    'Version: 1',
    `Chain ID: ${chain}`,
    `Nonce: ${randomBytes(16).toString('hex')}`,
    `Issued At: ${instant(now)}`,
    `Expiration Time: ${instant(now + messageMs)}`,
    `Request ID: ${action}`,
    'Resources:',
    `- ${url}`,
    ...(webhookUrl === undefined ? [] : [`- ${webhookUrl}`]),
  ]
  const text = lines.join('\n')
  return `${text}${macLine}${seal.mac(text)}`
}

const statements: Record<Exclude<Action, 'subscribe'>, string> = {
  deliveries: 'Show how the events about it were delivered',
  replay: 'Send the events about it again',
  cancel: 'Stop watching it',
  test: 'Send a test event about it',
}

function statementOf(action: Action, url: string, webhookUrl: string | undefined): string {
  if (action !== 'subscribe') return `I am paid at ${url}. ${statements[action]}.`
  return `Watch ${url} for 30 days, report to ${new URL(webhookUrl ?? '').host}, price ${subscriptionPriceUsd} USDC.`
}

const form = new RegExp(
  [
    '^(?<host>\\S+) wants you to sign in with your (?<family>Solana|Ethereum) account:',
    '(?<address>\\w+)',
    '',
    '.+',
    '',
    'URI: (?<origin>\\S+)/weigh/\\w+',
    'Version: 1',
    'Chain ID: (?<chain>\\w+)',
    'Nonce: (?<nonce>\\w+)',
    'Issued At: \\S+',
    'Expiration Time: (?<expires>\\S+)',
    `Request ID: (?<action>${actions.join('|')})`,
    'Resources:',
    '- (?<url>\\S+)(?:\\n- (?<webhookUrl>\\S+))?$',
  ].join('\\n'),
)

/** Undefined if we did not write it, or if somebody has changed it. */
export function readMessage(text: string, seal: Seal): WatchMessage | undefined {
  const at = text.lastIndexOf(macLine)
  if (at < 0 || !seal.isOurs(text.slice(0, at), text.slice(at + macLine.length))) return undefined
  const found = form.exec(text.slice(0, at))?.groups
  if (!found) return undefined
  const { family, chain, address, origin, url, webhookUrl, nonce, expires, action } = found
  return {
    action: action as Action,
    origin: origin as string,
    network: `${family === 'Solana' ? 'solana:' : 'eip155:'}${chain}`,
    address: address as string,
    url: url as string,
    webhookUrl,
    nonce: nonce as string,
    expiresAt: Date.parse(expires as string),
  }
}
