/**
 * LONG_FORM=1: what others have written is sold by its own document of OpenAPI: a public API that Prism mocks, and a program of FastAPI. Both come
 * from their registries. PUBLIC_OPENAPI names a file of the public API's document where GitHub cannot be reached.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenPort } from '../../../pipelines/rails/store/listen-port.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { runSandbox } from '../sandbox/running.ts'
import { Buyer, ways, withoutPython } from './buying.ts'

const run = promisify(execFile)
const document = 'https://raw.githubusercontent.com/open-meteo/open-meteo/main/openapi/elevation.yml'

const program = `from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI(title="Tides")

class Tide(BaseModel):
    station: str
    metres: float = Field(description="Above the mean")
    warnings: list[str] = []

class Wish(BaseModel):
    stations: list[str] = Field(min_length=1, max_length=3, examples=[["a"]])

@app.get("/tides/{station}", operation_id="tideAt", responses={404: {"description": "There is no such station"}})
def tide_at(station: str, unit: str = "m") -> Tide:
    if station == "none":
        raise HTTPException(404)
    return Tide(station=station, metres=1.25)

@app.post("/tides", operation_id="tidesAt")
def tides_at(wish: Wish) -> list[Tide]:
    return [Tide(station=each, metres=1.5) for each in wish.stations]
`

function started(command: string, args: string[], cwd: string): ChildProcess {
  const child = spawn(command, args, { cwd, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  return child
}

const answers = (url: string) =>
  until(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    url,
    60_000,
  )

/** Sells the file, and asks with a payment. */
async function sold(file: string) {
  const sandbox = await runSandbox({}, ['--sell', file, '--no-canary'])
  const buyer = new Buyer(sandbox.url, dirname(file))
  onTestFinished(async () => {
    buyer.end()
    await sandbox.stop()
  })
  return {
    async ask(path: string, question: object) {
      const answer = await buyer.post(path, question)
      return { status: answer.status, ...((await answer.json()) as object) }
    },
    /** Over HTTP, over MCP of both eras, and with both clients. */
    async buy(path: string, question: object, answer: unknown) {
      for (const way of ways)
        if (way !== 'Python' || !withoutPython)
          expect(await buyer.ways[way]({ path, question }), way).toMatchObject({
            answer,
            receipt: { charged: true },
          })
    },
  }
}

const why = (error: Error): string => error.message.trim().split('\n').at(-1) ?? ''

describe.skipIf(!process.env.LONG_FORM)('what others have written is sold', () => {
  it('a public API, mocked by Prism', async context => {
    const folder = scratchFolder()
    const given = process.env.PUBLIC_OPENAPI
    const text = given
      ? readFileSync(given, 'utf8')
      : await fetch(document).then(
          response => (response.ok ? response.text() : undefined),
          () => undefined,
        )
    if (!text) return context.skip('no document of a public API can be had')
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
    const install = ['install', ...quiet, '--prefix', folder, '@stoplight/prism-cli']
    const failed = await run('npm', install).then(() => undefined, why)
    if (failed !== undefined) return context.skip(`Prism cannot be had: ${failed}`)
    writeFileSync(join(folder, 'elevation.yml'), text)
    const port = await listenPort(0, 'PORT')
    const prism = join(folder, 'node_modules/@stoplight/prism-cli/dist/index.js')
    started(process.execPath, [prism, 'mock', '-p', String(port), 'elevation.yml'], folder)
    await answers(`http://127.0.0.1:${port}/`)
    const file = join(folder, 'meteo.yaml')
    writeFileSync(
      file,
      `origin: meteo
title: Elevations
openapi: ./elevation.yml
server: http://127.0.0.1:${port}
prices:
  get /v1/elevation:
    price: 0.001
    path: /elevation
    without: [apikey]
    example: { question: { latitude: '52.52', longitude: '13.41' } }
`,
    )
    const { ask, buy } = await sold(file)
    const place = { latitude: '52.52', longitude: '13.41' }
    await buy('/elevation', place, { elevation: [expect.any(Number)] })
    expect(await ask('/elevation', place)).toMatchObject({ status: 200, receipt: { tool: 'meteoElevation' } })
    expect(await ask('/elevation', { latitude: '52.52' })).toMatchObject({ status: 400, charged: false })
  })

  it('a program of FastAPI', async context => {
    const folder = scratchFolder()
    const python = join(folder, 'venv/bin/python')
    const failed = await run('python3', ['-m', 'venv', join(folder, 'venv')])
      .then(() => run(python, ['-m', 'pip', 'install', '-q', 'fastapi', 'uvicorn']))
      .then(() => undefined, why)
    if (failed !== undefined) return context.skip(`FastAPI cannot be had: ${failed}`)
    writeFileSync(join(folder, 'tides.py'), program)
    const port = await listenPort(0, 'PORT')
    started(python, ['-m', 'uvicorn', 'tides:app', '--port', String(port)], folder)
    const url = `http://127.0.0.1:${port}`
    await answers(`${url}/openapi.json`)
    writeFileSync(join(folder, 'spec.json'), await (await fetch(`${url}/openapi.json`)).text())
    const file = join(folder, 'tides.yaml')
    writeFileSync(
      file,
      `origin: tides
title: Tides
openapi: ./spec.json
server: ${url}
prices:
  tideAt: { price: 0.001, example: { question: { station: a } } }
  tidesAt: 0.002
`,
    )
    const { ask, buy } = await sold(file)
    await buy('/tide-at', { station: 'a' }, { station: 'a', metres: 1.25, warnings: [] })
    expect(await ask('/tide-at', { station: 'none' })).toMatchObject({ status: 422, charged: false })
    await buy('/tides-at', { stations: ['a', 'b'] }, [{ metres: 1.5 }, { station: 'b' }])
    expect(await ask('/tides-at', { stations: [] })).toMatchObject({ status: 400, charged: false })
  })
})
