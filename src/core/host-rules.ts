import { isIP } from 'node:net'
import { parseAddress } from './addresses.ts'

/** The ports of a rule that names none: those of HTTPS and HTTP. */
const USUAL_PORTS = [443, 80]
const NAME = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/

interface HostRule {
  /** True if the name stands for what is below it. */
  below: boolean
  host: string
  ports: readonly number[]
}

/** A host in its only form: in lower case, without the dot at its end and without brackets; undefined when it is none. */
export function normalHost(text: string): string | undefined {
  if (text.startsWith('[')) return text.endsWith(']') ? parseAddress(text) : undefined
  if (isIP(text) !== 0) return parseAddress(text.includes(':') ? `[${text}]` : text)
  const name = text.toLowerCase().replace(/\.$/, '')
  // Some resolvers take `127.1` and `0x7f000001` for addresses.
  return NAME.test(name) && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name) ? name : undefined
}

/** Reads `example.com`, `*.example.com`, `192.0.2.1`, `[2001:db8::1]`, each with a port behind it or not. */
export function parseHostRule(text: string): HostRule | undefined {
  const [, star, name = '', port] = /^(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = normalHost(name)
  if (host === undefined || (star && (isIP(host) !== 0 || !host.includes('.')))) return undefined
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined
  return { below: star !== undefined, host, ports: port === undefined ? USUAL_PORTS : [Number(port)] }
}

/** Hosts that may be reached: by rules, or all of them. */
export class HostRules {
  readonly #rules: readonly HostRule[]
  readonly #any: boolean

  /** A text that is not a rule allows nothing. */
  constructor(rules: readonly string[] | 'any') {
    this.#any = rules === 'any'
    this.#rules = rules === 'any' ? [] : rules.flatMap((text) => parseHostRule(text) ?? [])
  }

  /** True if a host in its normal form may be reached at a port. */
  allows(host: string, port: number): boolean {
    return this.#any || this.names(host, port)
  }

  /** True if one of the rules is about a host, and not only all of them. */
  names(host: string, port: number): boolean {
    return this.#rules.some(
      (rule) => rule.ports.includes(port) && (rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host),
    )
  }
}
