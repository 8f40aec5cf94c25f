import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { MessageTooLong, openCdp } from '../../../../../pipelines/rails/outside/browser/cdp.ts'

const mostBytes = 12 << 20

function opened() {
  const [out, back] = [new PassThrough(), new PassThrough()]
  const cdp = openCdp(out, back)
  const tell = (text: string) => {
    for (let at = 0; at < text.length; at += 60_000) back.write(text.slice(at, at + 60_000))
    back.write('\0')
  }
  return { cdp, tell }
}

describe('the messages of a browser', () => {
  it('are read up to their bound', async () => {
    const { cdp, tell } = opened()
    const asked = cdp.send('A.b')
    const result = 'a'.repeat(mostBytes - 100)
    tell(JSON.stringify({ id: 1, result }))
    expect(await asked).toBe(result)
  })

  it('cause no harm to another page if one is longer: only its own command fails', async () => {
    const { cdp, tell } = opened()
    const [long, other] = [cdp.send('A.b'), cdp.send('A.b')]
    tell(JSON.stringify({ id: 1, result: 'a'.repeat(mostBytes) }))
    tell(JSON.stringify({ id: 2, result: 'well' }))
    await expect(long).rejects.toBeInstanceOf(MessageTooLong)
    expect(await other).toBe('well')
  })

  it('are ignored if a page has blown up an event', async () => {
    const { cdp, tell } = opened()
    const heard: unknown[] = []
    cdp.on('A.c', params => heard.push(params.n))
    const asked = cdp.send('A.b')
    tell(JSON.stringify({ method: 'A.c', params: { n: 1, text: '"id":1,'.repeat(mostBytes / 6) } }))
    tell(JSON.stringify({ method: 'A.c', params: { n: 2 } }))
    tell(JSON.stringify({ id: 1, result: 'well' }))
    expect(await asked).toBe('well')
    expect(heard).toEqual([2])
  })
})
