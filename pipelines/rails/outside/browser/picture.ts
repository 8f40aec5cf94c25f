/** Pictures a page, a part of it, or all of it. Each picture has a bound in pixels and in bytes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PageAsked, Pictured, Shot } from '../pages/page.ts'
import { hidingBanners } from './banners.ts'
import { MessageTooLong, type Session } from './cdp.ts'
import type { InPage } from './in-page.ts'
import { usualShot } from './shot.ts'

interface Rect {
  x: number
  y: number
  width: number
  height: number
}

type PictureAsked = Pick<PageAsked, 'shot' | 'mostPictureBytes'>
type Problem = Pictured['problem']

const usualBytes = 600_000
const qualities = [80, 60, 40, 20]
/** Pixels of a picture: a page of 1280 by 12,500. */
const mostPixels = 16_000_000
/** A browser draws no longer side. */
const longestSide = 16_000
/** A long page is scrolled through once, so that it loads the pictures that it shows late. */
const [mostScrolls, scrollMs] = [16, 60]

/** The last script may have changed the text, so this brings picture and text as close together in time as possible. */
export async function pictureOf(
  session: Session,
  inPage: InPage,
  { shot, mostPictureBytes: most = usualBytes }: PictureAsked,
  isReady: boolean,
): Promise<{ picture: Buffer | undefined; pictured?: Pictured }> {
  if (!shot) return { picture: await usualPicture(session, most) }
  const { fullPage, selector, waitFor, hideBanners, scale } = shot
  const bannersHidden = hideBanners ? Number(await inPage.run(hidingBanners)) : 0
  const none = (problem: Problem) => ({
    picture: undefined,
    pictured: { width: 0, height: 0, isCut: false, bannersHidden, problem },
  })
  if (!isReady && waitFor !== null)
    return none((await isThere(inPage, waitFor)) === 'invalid' ? 'invalid_selector' : 'no_such_element')
  if (fullPage) await scrolled(inPage)
  const whole = await placeOf(session, inPage, shot)
  if (typeof whole === 'string') return none(whole)
  const rect = bounded(whole, scale)
  // A page for desktops is zoomed out in the window of a phone: its window is no part of the page.
  const isWindow = selector === null && !fullPage
  const part = isWindow ? {} : { clip: { ...rect, scale: 1 } }
  const picture = await captured(session, shot.format, part, most)
  if (!picture) return none('picture_too_large')
  const isCut = rect.width < whole.width || rect.height < whole.height
  const size = { width: rect.width * scale, height: rect.height * scale }
  return { picture, pictured: { ...size, isCut, bannersHidden, problem: null } }
}

/** The lowest quality is taken whatever its size. */
async function usualPicture(session: Session, most: number): Promise<Buffer> {
  const picture = await captured(session, usualShot.format, {}, most)
  if (picture) return picture
  const { data } = await session.send('Page.captureScreenshot', { format: 'jpeg', quality: qualities.at(-1) })
  return Buffer.from(data, 'base64')
}

/** Undefined if it is larger than that at any quality. */
async function captured(
  session: Session,
  format: 'jpeg' | 'png' | 'webp',
  part: { clip?: Rect & { scale: number } },
  most: number,
): Promise<Buffer | undefined> {
  const beyond = part.clip && { captureBeyondViewport: true }
  for (const quality of format === 'png' ? [undefined] : qualities) {
    const asked = { format, ...(quality !== undefined && { quality }), ...part, ...beyond }
    try {
      const { data } = await session.send('Page.captureScreenshot', asked)
      const picture = Buffer.from(data, 'base64')
      if (picture.length <= most) return picture
    } catch (error) {
      if (!(error instanceof MessageTooLong)) throw error
    }
  }
  return undefined
}

/** The window, the whole page, or the element. */
async function placeOf(
  session: Session,
  inPage: InPage,
  { fullPage, selector, width, height }: Shot,
): Promise<Rect | NonNullable<Problem>> {
  if (selector !== null) return boxOf(inPage, selector)
  if (!fullPage) return { x: 0, y: 0, width, height }
  const { cssContentSize } = await session.send('Page.getLayoutMetrics')
  const size = cssContentSize as Rect
  return {
    x: 0,
    y: 0,
    width: Math.max(width, Math.ceil(size.width)),
    height: Math.max(height, Math.ceil(size.height)),
  }
}

function bounded({ x, y, width, height }: Rect, scale: number): Rect {
  const side = Math.floor(longestSide / scale)
  const shown = Math.max(1, Math.min(width, side))
  const most = Math.floor(mostPixels / (shown * scale * scale))
  return { x, y, width: shown, height: Math.max(1, Math.min(height, side, most)) }
}

async function scrolled(inPage: InPage): Promise<void> {
  for (let n = 0; n < mostScrolls; n++) {
    const isAtEnd = await inPage.run(
      '(() => { const before = scrollY; scrollBy(0, innerHeight); return scrollY === before })()',
    )
    await sleep(scrollMs, undefined, { ref: false })
    if (isAtEnd) break
  }
  await inPage.run('scrollTo(0, 0)')
}

const found = (selector: string) => `(() => {
  let element
  try { element = document.querySelector(${JSON.stringify(selector)}) } catch { return 'invalid' }
  const { width, height } = element?.getBoundingClientRect() ?? { width: 0, height: 0 }
  return width >= 1 && height >= 1 ? 'shown' : 'none'
})()`

export const isThere = async (inPage: InPage, selector: string): Promise<'shown' | 'none' | 'invalid'> =>
  (await inPage.run(found(selector))) as 'shown' | 'none' | 'invalid'

/** The place of the element on the page, once it has been scrolled to. */
async function boxOf(inPage: InPage, selector: string): Promise<Rect | NonNullable<Problem>> {
  const there = await isThere(inPage, selector)
  if (there !== 'shown') return there === 'invalid' ? 'invalid_selector' : 'no_such_element'
  const box = (await inPage.run(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    const { x, y, width, height } = element.getBoundingClientRect()
    return [x + scrollX, y + scrollY, width, height]
  })()`)) as [number, number, number, number]
  const [x, y, width, height] = box.map(each => Math.max(0, Number(each) || 0)) as typeof box
  const [left, top] = [Math.floor(x), Math.floor(y)]
  return { x: left, y: top, width: Math.ceil(x + width) - left, height: Math.ceil(y + height) - top }
}
