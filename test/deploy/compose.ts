/** compose.yaml as Docker Compose reads it: it parses first and then inserts the values of an environment. */
import { parse } from 'yaml'
import { deployed } from './queries.ts'

export interface Service {
  image: string
  build?: { context: string; dockerfile: string }
  environment?: Record<string, string>
  entrypoint?: string[]
  command?: string[]
  volumes?: string[]
  ports?: string[]
  networks?: string[]
  network_mode?: string
  restart?: string
  profiles?: string[]
  deploy?: { replicas: number }
  healthcheck?: { test: string[] }
  logging?: { driver: string; options: Record<string, string> }
  depends_on?: Record<string, { condition: string }>
}

interface Composed {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  /** The variables without which Compose refuses to start. */
  required: Set<string>
}

/** Compose refuses to start without any of these. */
export const operatorValues: Record<string, string> = {
  STORE_PASSWORD: 'secret',
  ANALYST_PASSWORD: 'secret',
  CONTACT: 'operator@example.org',
  PUBLIC_URL: 'https://farebox.example',
  GRAFANA_PASSWORD: 'secret',
}

/** Which of these a seller needs depends on NETWORKS, and a network may have facilitators of its own. */
export const ofNetworks: Record<string, string> = {
  PAY_TO_BASE: `0x${'0'.repeat(40)}`,
  PAY_TO_SOLANA: '1'.repeat(32),
  FACILITATOR_URL: 'https://facilitator.example',
}

export function composed(environment: Readonly<Record<string, string>> = operatorValues): Composed {
  const required = new Set<string>()
  /** Inserts the innermost variables first, because the default of one may contain others. */
  const inserted = (text: string): string => {
    const next = text.replaceAll(/\$\{(\w+)(:?)([-?+])([^${}]*)\}/g, (_all, name, colon, kind, word) => {
      if (kind === '?') required.add(name)
      const value = environment[name] ?? ''
      // Without the colon an empty value is a value.
      if (!colon && name in environment) return value
      if (kind === '+') return value && word
      return value || (kind === '-' ? word : '')
    })
    return next === text ? text : inserted(next)
  }
  const text = JSON.stringify(parse(deployed('compose.yaml'), { merge: true }))
  return { ...JSON.parse(inserted(text)), required }
}
