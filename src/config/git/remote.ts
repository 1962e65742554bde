import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** Where a repository is, and who asks for it. Credentials never stay in the address. */
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

const PRIVATE = new BlockList()
for (const [net, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
]) {
  PRIVATE.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(net, bits, 'ipv6')
}

/** Whether an address is one of the open internet: not this machine, not its network, not a cloud's metadata. */
export function isPublicAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return isPublicAddress(mapped)
  const family = isIP(address)
  if (family === 0 || /^::ffff:/i.test(address)) return false
  return !PRIVATE.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Finds the addresses of hosts, and says which of them are public. */
export interface HostLookup {
  /** Every address of a host; empty when it has none, or nobody answers. */
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
