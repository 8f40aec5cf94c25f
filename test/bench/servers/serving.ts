/** A bench server runs in a process of its own, tells its parent where it listens, and ends with it. */
export function serving(url: string): void {
  process.send?.({ url })
  process.on('disconnect', () => process.exit(0))
}

/** One question and one answer, the same for every server. */
export const path = '/fx'
export const question = '{"from":"USD","to":"JPY","amount":100}'
export const answered = {
  from: 'USD',
  to: 'JPY',
  rate: 159.83396,
  converted: 15983.396,
  rate_date: '2026-04-13',
  notice: 'Published for information purposes only.',
}
export const payTo = '0x1111111111111111111111111111111111111111'
