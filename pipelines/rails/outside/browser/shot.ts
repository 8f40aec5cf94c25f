/** The looks of a page. */
import type { Shot } from '../pages/page.ts'
import { viewport } from './chromium.ts'

export const usualShot: Shot = {
  ...viewport,
  ...{ format: 'jpeg', scale: 1, phone: false, dark: false },
  ...{ fullPage: false, selector: null, waitFor: null, hideBanners: false },
}

/** The name of the same browser on a phone. Sites look for `Mobile`. */
export const phoneAgent = (userAgent: string): string =>
  userAgent.replace(/\([^()]{0,100}\)/, '(Linux; Android 10; K)').replace(' Safari/', ' Mobile Safari/')
