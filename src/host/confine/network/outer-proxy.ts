import { isIP } from 'node:net'
import { Networks } from '../../../core/networks.ts'
import type { OuterProxies } from '../../protocol/index.ts'

/** A proxy of the network that this machine is in. */
export interface OuterProxy {
  host: string
  port: number
  isTls: boolean
  /** Credentials to send if it asks for a password. */
  authorization: string | undefined
}

/** Decides which hosts are reached through a proxy of the network, by an environment. */
export class OuterRoutes {
  readonly #direct: readonly string[]

  constructor(private readonly proxies: OuterProxies = {}) {
    this.#direct = (proxies.direct ?? '')
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
  }

  /** The proxy by which a host is reached; undefined where it is reached directly. Throws for one that gc cannot use. */
  to(host: string, port: number, { isPlain }: { isPlain: boolean }): OuterProxy | undefined {
    const text = isPlain ? this.proxies.http : this.proxies.https
    return text && this.isThrough(host, port) ? parseProxy(text) : undefined
  }

  /** True if a host is one of those that are reached through a proxy. */
  isThrough(host: string, port: number): boolean {
    if (!this.proxies.http && !this.proxies.https) return false
    return !isOfThisMachine(host) && !this.#direct.some((entry) => matches(entry, host, port))
  }
}

/** Proxies named in an environment; undefined without any. */
export function outerProxies(env: Readonly<Record<string, string | undefined>>): OuterProxies | undefined {
  const of = (name: string) => env[name.toLowerCase()]?.trim() || env[name]?.trim()
  const all = of('ALL_PROXY')
  const [http, https, direct] = [of('HTTP_PROXY') ?? all, of('HTTPS_PROXY') ?? all, of('NO_PROXY')]
  if (!http && !https) return undefined
  return { ...(http && { http }), ...(https && { https }), ...(direct && { direct }) }
}

const isOfThisMachine = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.\d/.test(host)

/** True if an entry of `NO_PROXY` is about a host: a name, what is below it, an address, a network, or all. */
function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true
  if (isIP(host) !== 0 && isNetwork(entry)) return new Networks([entry]).includes(host)
  const [, name = entry, digits] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? []
  if (digits !== undefined && Number(digits) !== port) return false
  const own = name.replace(/^\*?\./, '')
  return own !== '' && (host === own || host.endsWith(`.${own}`))
}

function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/')
  const most = isIP(address) === 4 ? 32 : 128
  return isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

function parseProxy(text: string): OuterProxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    const scheme = url ? ` of ${url.protocol.replace(':', '')}` : ''
    throw new Error(
      `the environment of gc names a proxy${scheme} that gc cannot use; name one of http or https, or none`,
    )
  }
  const isTls = url.protocol === 'https:'
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isTls ? 443 : 80),
    isTls,
    authorization: user === ':' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
  }
}
