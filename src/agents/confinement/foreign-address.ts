import { isIP } from 'node:net'
import type { AgentConfig } from '../../config/agents/index.ts'
import { AppError } from '../../core/errors.ts'
import { HostRules, normalHost } from '../../core/host-rules.ts'
import { type KeptKeys, keepKeys } from './provider-keys.ts'

interface Person {
  /** The built-in provider whose program it is. */
  name: string | undefined
  /** The variables that are not of a pack. */
  mine: Readonly<Record<string, string | undefined>>
  /** Rules that the city grants the session. */
  allowed: { readonly hosts: readonly string[]; readonly ports: readonly number[] }
}

/** The pack that has its say in the environment of an agent. */
export const packOf = (agent: Pick<AgentConfig, 'block' | 'origins'> | undefined): string | undefined =>
  agent?.block.pack?.name ?? agent?.origins.env?.block.pack?.name

/** Throws when a pack would have a key of the person go to an address that neither they nor the city named. */
export function requireOwnAddress(kept: Pick<KeptKeys, 'keys'>, pack: string, person: Person): void {
  const line = lineFor(kept, person)
  if (line === undefined) return
  const why = `pack ${pack} has your key of ${person.name} go where this city does not say`
  throw new AppError(
    'service-unavailable',
    `it cannot be confined: ${why}; ${line} in the confine table of its rig, or in a [[patches.agent]] of it, allows that`,
  )
}

/** The line by which a city would say that keys may go where they would; undefined where they may. */
function lineFor({ keys }: Pick<KeptKeys, 'keys'>, { name, mine, allowed }: Person): string | undefined {
  const values = new Set(Object.values(mine).map((value) => value?.trim()))
  const own = keepKeys(name, mine).keys
  const rules = new HostRules(allowed.hosts)
  for (const { value, url } of keys) {
    const isOwn = own.some((one) => one.value === value && one.url === url)
    // A key that the pack brought along is its own to send.
    if (isOwn || !values.has(value.replace(/^Bearer /, ''))) continue
    const { hostname, port, protocol } = new URL(url)
    const host = normalHost(hostname) ?? hostname
    const number = Number(port) || (protocol === 'https:' ? 443 : 80)
    const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
    if (rules.names(host, number) || (isLocal && allowed.ports.includes(number))) continue
    if (isLocal) return `ports = [${number}]`
    const shown = isIP(host) === 6 ? `[${host}]` : host
    return `allow_hosts = ["${number === 443 || number === 80 ? shown : `${shown}:${number}`}"]`
  }
  return undefined
}
