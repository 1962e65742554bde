import { createHash, timingSafeEqual } from 'node:crypto'
import type { ProviderKey } from '../../protocol/proxy.ts'
import { type RequestHead, valuesOf } from './request-head.ts'

/** Where programs put the keys of their providers. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key']

/** The headers that a request must not bring along when gc puts in the key: another key, and what would hide this one in the answer. */
export const withoutKeys: ReadonlySet<string> = new Set([...KEY_HEADERS, 'cookie', 'accept-encoding'])

/** Whether a request for a provider shows the password of its session in place of a key. */
export const showsPassword = ({ headers }: RequestHead, password: string): boolean =>
  KEY_HEADERS.flatMap((name) => valuesOf(headers, name)).some((value) =>
    isSame(value.replace(/^Bearer +/i, ''), password),
  )

/** Whether a request for the proxy has the password of its session. */
export function isAuthorized({ headers }: RequestHead, password: string): boolean {
  const [value = '', ...more] = valuesOf(headers, 'proxy-authorization')
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(value) ?? []
  const decoded = Buffer.from(encoded, 'base64').toString('latin1')
  return more.length === 0 && isSame(decoded.slice(decoded.indexOf(':') + 1), password)
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** Where a request `/<name>/…` goes that is for a provider; undefined when it would leave the provider's own address. */
export function providerUrl(target: string, keys: readonly ProviderKey[]): { key: ProviderKey; url: URL } | undefined {
  const [, name, rest = ''] = /^\/([a-z][a-z0-9-]*)((?:[/?].*)?)$/.exec(target) ?? []
  const key = keys.find((each) => each.name === name)
  if (!key || rest.includes('\\')) return undefined
  const base = new URL(key.url)
  const folder = base.pathname.replace(/\/+$/, '')
  const text = `${base.origin}${folder}${rest}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isInside = url.pathname === folder || url.pathname.startsWith(`${folder}/`)
  return url.origin === base.origin && isInside ? { key, url } : undefined
}
