import { describe, expect, it } from 'vitest'
import { challengeIn, challengeOf } from '../../../../../pipelines/rails/outside/pages/challenge.ts'

const challenged = (html: string, headers: Record<string, string> = {}, status = 403) =>
  challengeOf(headers, status) ?? challengeIn(html)

describe('a challenge in place of a page', () => {
  it.each([
    ['Cloudflare', '<title>Just a moment...</title><script>window._cf_chl_opt={}</script>'],
    ['DataDome', '<script src="https://ct.captcha-delivery.com/c.js"></script>'],
    ['PerimeterX', '<div id="px-captcha"></div>'],
    ['Imperva', '<script src="/_Incapsula_Resource?x=1"></script>'],
    ['Akamai', 'Reference https://errors.edgesuite.net/18.2'],
    ['AWS WAF', '<script>awsWafCookieDomainList=[]</script>'],
    ['Kasada', '<script src="/149e9513/ips.js?KP_UIDz=1"></script>'],
    ['Anubis', '<script id="anubis_challenge" type="application/json">'],
    ['a captcha', '<title>Robot Check</title>'],
  ])('is told as that of %s', (name, html) => {
    expect(challenged(html)).toBe(name)
  })

  it('is recognised by its headers', () => {
    expect(challenged('', { 'cf-mitigated': 'challenge' }, 200)).toBe('Cloudflare')
    expect(challenged('', { 'x-amzn-waf-action': 'captcha' }, 202)).toBe('AWS WAF')
    expect(challenged('', { 'x-datadome': 'protected' })).toBe('DataDome')
  })

  it('is not a page that only contains such a script, and not a page about it', () => {
    expect(
      challenged(`<p>${'text '.repeat(50_000)}</p><script>_cf_chl_opt</script>`, {}, 200),
    ).toBeUndefined()
    expect(
      challenged('<title>A moment in time</title><p>Robots', { 'x-datadome': 'protected' }, 200),
    ).toBeUndefined()
  })
})
