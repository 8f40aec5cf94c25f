/** Shares each answer of a reader: token facts are valid for an hour, a price for 10 s, a final transaction for ever. */
import { chains } from '../../../schemas/tables/chains.ts'
import { Kept } from './kept.ts'
import { type ChainReader, type ChainRefused, isRefused, type SeenAt } from './reader.ts'

const factsMs = 3_600_000
const priceMs = 10_000
const bounds = { most: 5_000, mostBytes: 32_000_000 }

export function sharing(reader: ChainReader, now: () => number): ChainReader {
  const kept = new Kept(now, bounds)
  const readAt = ({ fetched_at }: SeenAt) => Date.parse(fetched_at)
  /** The next block may change the answer. A refusal is not valid longer either. */
  const nextBlock = (answer: SeenAt | ChainRefused<string>) =>
    (isRefused(answer) ? now() : readAt(answer)) + chains[reader.chain].blockMs
  const lasting = (ms: number) => (answer: SeenAt | ChainRefused<string>) =>
    isRefused(answer) ? nextBlock(answer) : readAt(answer) + ms
  const share =
    <Asked, Answer>(
      name: string,
      read: (asked: Asked) => Promise<Answer>,
      until: (answer: Answer) => number,
    ) =>
    (asked: Asked) =>
      kept.ask(`${name} ${JSON.stringify(asked)}`, () => read(asked), until)

  return {
    chain: reader.chain,
    balance: share('balance', reader.balance, nextBlock),
    token: share('token', reader.token, lasting(factsMs)),
    tx: share('tx', reader.tx, answer => {
      if (isRefused(answer) || answer.status === 'pending') return now()
      return answer.finalized ? Number.POSITIVE_INFINITY : nextBlock(answer)
    }),
    price: share('price', reader.price, lasting(priceMs)),
    check: share('check', reader.check, lasting(priceMs)),
    portfolio: share('portfolio', reader.portfolio, nextBlock),
    pretrade: share('pretrade', reader.pretrade, nextBlock),
  }
}
