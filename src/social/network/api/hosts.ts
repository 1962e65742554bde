import { isLoopback, parseHost } from '../../../http/authority.ts'

/** The names of this server. */
export interface HostSettings {
  /** The configured base URL. */
  readonly baseUrl: string | undefined
  /** Host names of this server besides the loopback ones. */
  readonly hosts: readonly string[]
}

/** True if a `Host` header names this server. */
export function isOwnHost(header: string | null, { baseUrl, hosts }: HostSettings): boolean {
  const name = parseHost(header)
  if (header === null || name === undefined) return false
  if (isLoopback(name) || hosts.some((each) => each.toLowerCase() === name)) return true
  return baseUrl !== undefined && new URL(baseUrl).host === header.toLowerCase()
}
