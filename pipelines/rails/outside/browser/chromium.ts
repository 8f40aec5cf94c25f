/**
 * Starts one Chromium, locked in: it has its own sandbox, no network except through a gate, no port of its own, and
 * no profile.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { bePolite } from '../../politeness.ts'
import type { Binary } from './binary.ts'
import { NoBrowser } from './browser-failures.ts'
import { type Cdp, openCdp } from './cdp.ts'

export interface Chromium {
  cdp: Cdp
  /** The id of its process, which leads the group of its child processes. */
  pid: number
  /** Such as `Chromium 153.0.8010.0`. */
  product: string
  userAgent: string
  /** Resolves when its process has ended. */
  ended: Promise<void>
  kill(): Promise<void>
}

export interface ChromiumOptions {
  /** The operator has named it: then it runs without its sandbox. */
  withoutSandbox: boolean
  /** Our own name, in addition to the browser's. */
  userAgent: string
  /** The authorities, in PEM, that it trusts in addition to the public ones. */
  ca?: string | undefined
}

export const viewport = { width: 1280, height: 800 }

const startMs = 20_000
/** Chromium refuses to run its sandbox as root, so root starts it as nobody. */
const nobody = 65534
export const runsAsRoot = (): boolean => process.getuid?.() === 0

const flags = [
  '--headless',
  '--remote-debugging-pipe',
  // All traffic of a page goes through its gate. Any other traffic fails, because nothing listens at this address.
  '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--js-flags=--max-old-space-size=256',
  '--block-new-web-contents',
  '--deny-permission-prompts',
  // It sends no requests to its makers.
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-extensions',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-features=Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,AutofillServerCommunication',
  '--metrics-recording-only',
  '--no-pings',
  '--password-store=basic',
  '--use-mock-keychain',
  // A container has 64 MB of /dev/shm.
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--mute-audio',
  '--hide-scrollbars',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  `--window-size=${viewport.width},${viewport.height}`,
]

export async function startChromium(binary: Binary, options: ChromiumOptions): Promise<Chromium> {
  const { withoutSandbox, userAgent, ca } = options
  const home = await mkdtemp(join(tmpdir(), 'farebox-profile-'))
  const user = runsAsRoot() && !withoutSandbox ? { uid: nobody, gid: nobody } : undefined
  if (user) await chown(home, user.uid, user.gid)
  const fonts = join(home, 'fonts.conf')
  await writeFile(fonts, fontsConf(binary, home), { mode: 0o644 })
  const args = [
    ...flags,
    `--user-data-dir=${home}`,
    ...(withoutSandbox ? ['--no-sandbox'] : []),
    ...(ca ? [`--ignore-certificate-errors-spki-list=${keyOf(ca)}`] : []),
  ]
  const child = spawn(binary.executable, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    cwd: home,
    // It gets nothing of our environment, which holds secrets.
    env: {
      HOME: home,
      TMPDIR: home,
      PATH: '/usr/bin:/bin',
      LANG: 'en_US.UTF-8',
      FONTCONFIG_FILE: fonts,
      ...(binary.libraries && { LD_LIBRARY_PATH: binary.libraries }),
    },
    // Ctrl-C reaches only our process, so that the current pages are finished first.
    detached: true,
    ...user,
  })
  if (child.pid !== undefined) bePolite(5, child.pid)
  const said = lastWords(child)
  const ended = new Promise<void>(resolve => {
    child.on('error', () => resolve()).on('exit', () => resolve())
  })
  const gone = ended.then(() => rm(home, { recursive: true, force: true, maxRetries: 5 }).catch(() => {}))
  const [, , , out, back] = child.stdio as unknown as [null, null, Readable, Writable, Readable]
  const cdp = openCdp(out, back)
  const kill = () => {
    signal(child, 'SIGKILL')
    return gone
  }
  try {
    const late = AbortSignal.timeout(startMs)
    const { product, userAgent: own } = await Promise.race([
      cdp.send('Browser.getVersion'),
      new Promise<never>((_, reject) => {
        late.addEventListener('abort', () => reject(new Error(`it is not up after ${startMs} ms`)))
      }),
    ])
    return {
      cdp,
      pid: child.pid as number,
      product: `Chromium ${product.split('/')[1]}`,
      userAgent: `${own.replace('HeadlessChrome', 'Chrome')} ${userAgent}`,
      ended,
      kill,
    }
  } catch (error) {
    await kill()
    throw new NoBrowser(whyNot(said(), (error as Error).message), { cause: error })
  }
}

/** Signals the whole group, because the browser consists of several processes. */
function signal({ pid, exitCode, signalCode }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, name)
  } catch {
    // It has just ended by itself.
  }
}

function lastWords(child: ChildProcess): () => string {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-4000)
  })
  child.on('error', error => {
    said += error.message
  })
  return () => said
}

function whyNot(said: string, message: string): string {
  if (/no usable sandbox|move to new namespace|without --no-sandbox|zygote|setuid sandbox/i.test(said))
    return 'The browser has no sandbox here: allow user namespaces (deploy/ has the seccomp profile), or set BROWSER_SANDBOX=off'
  const line = said.trim().split('\n').at(-1)
  return `The browser does not start: ${line || message}`
}

/** Without a font a page has no text at all, so the browser's own fonts come first. */
const fontsConf = ({ fonts }: Binary, home: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[fonts, '/usr/share/fonts', '/usr/local/share/fonts']
  .filter(folder => folder !== undefined)
  .map(folder => `  <dir>${folder}</dir>`)
  .join('\n')}
  <cachedir>${home}/fontconfig</cachedir>
</fontconfig>
`

const keyOf = (pem: string): string =>
  createHash('sha256')
    .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
