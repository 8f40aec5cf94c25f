/** Tells a challenge for people from a real page. */

const lookedAt = 64 << 10
/** A challenge is small. A page that only contains such a script is larger. */
const most = 200 << 10

const marks: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Cloudflare', /_cf_chl_opt|cf-browser-verification|challenge-platform\/h\/[a-z]\/orchestrate/],
  ['DataDome', /captcha-delivery\.com|dd=\{'rt'/],
  ['PerimeterX', /px-captcha|_pxAppId/],
  ['Imperva', /_Incapsula_Resource|Request unsuccessful\. Incapsula/],
  ['Akamai', /errors\.edgesuite\.net|sec-if-cpt-container/],
  ['AWS WAF', /awsWafCookieDomainList|token\.awswaf\.com|gokuProps/],
  ['Kasada', /ips\.js\?KP_UIDz/],
  ['Anubis', /id="anubis_challenge"/],
  [
    'a captcha',
    /<title>[^<]{0,40}(robot check|are you a human|are you a robot|human verification|security check)/i,
  ],
]

/** Names the sender of a challenge, by the headers of an answer. */
export function challengeOf(headers: Readonly<Record<string, string>>, status: number): string | undefined {
  if (headers['cf-mitigated'] === 'challenge') return 'Cloudflare'
  if (headers['x-amzn-waf-action']) return 'AWS WAF'
  return headers['x-datadome'] === 'protected' && status === 403 ? 'DataDome' : undefined
}

/** Names the sender of a challenge, by the body. */
export function challengeIn(body: string): string | undefined {
  if (body.length > most) return undefined
  const start = body.slice(0, lookedAt)
  return marks.find(([, mark]) => mark.test(start))?.[0]
}
