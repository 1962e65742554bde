import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPublicAddress } from '../../core/public-addresses.ts'

/** Address of a repository, with the requester. Credentials never stay in the address. */
export interface Remote {
  readonly url: string
  readonly host: string
  readonly username?: string
  readonly password?: string
}

const SHORT = /^(?:([A-Za-z0-9][\w.-]*)@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/)([^-\s\\][^\s]*)$/
const SCHEMES = ['https:', 'http:', 'ssh:', 'git:']

/** Reads the address of a repository: `https://…`, `ssh://…` or `git@host:path`; undefined when it is none. */
export function parseRemote(text: string): Remote | undefined {
  const short = SHORT.exec(text)
  if (short?.[2] && !text.includes('://')) return { url: text, host: short[2] }
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!SCHEMES.includes(url.protocol) || !/^[A-Za-z0-9:]/.test(host) || url.pathname.length < 2) return undefined
  if (url.protocol === 'ssh:') {
    if (url.password || url.username.startsWith('-')) return undefined
    return { url: url.href, host }
  }
  const { username, password } = url
  url.username = ''
  url.password = ''
  return {
    ...{ url: url.href, host },
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  }
}

/** Finds the addresses of hosts, and says which of them are public. */
export interface HostLookup {
  /** Every address of a host; empty when it has none, or no one answers. */
  addressesOf(host: string): Promise<string[]>
  isPublic(address: string): boolean
}

export const systemHosts: HostLookup = {
  async addressesOf(host) {
    if (isIP(host)) return [host]
    try {
      return (await lookup(host, { all: true })).map(({ address }) => address)
    } catch {
      return []
    }
  },
  isPublic: isPublicAddress,
}

/** The addresses of a host, when it has some and all of them are public; undefined otherwise. */
export async function publicAddresses(host: string, hosts: HostLookup = systemHosts): Promise<string[] | undefined> {
  const addresses = await hosts.addressesOf(host)
  return addresses.length > 0 && addresses.every(hosts.isPublic) ? addresses : undefined
}
