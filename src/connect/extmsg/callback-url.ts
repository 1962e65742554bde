import { AppError } from '../../core/errors.ts'

/** The longest address that an adapter may give. */
const MAX_URL = 2048

/** Address for an adapter's messages: a URL, or a path of a service of the city. */
export type Callback = { readonly url: string } | { readonly service: string; readonly path: string }

/** The city whose adapters are called, and where its supervisor listens. */
interface OwnAddress {
  readonly url: string
  readonly city: string
}

/**
 * The address of an adapter without a slash at its end; undefined for an empty one. An address on this machine is usual,
 * but never that of gc itself, where a message would act as a request of a person, nor a link-local one. The address of a
 * service of the city means that service, which is asked directly.
 */
export function parseCallback(given: string, own: OwnAddress): Callback | undefined {
  if (given === '') return undefined
  const url = given.length <= MAX_URL && URL.canParse(given) ? new URL(given) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw rejected('must be an http or https address, such as http://127.0.0.1:9000/gc')
  }
  if (url.username !== '' || url.password !== '') throw rejected('may not hold a name or a password')
  if (/[?#]/.test(given)) throw rejected('may not have a query or a fragment')
  if (isLinkLocal(url.hostname)) throw rejected('may not be a link-local address')
  const path = url.pathname.replace(/\/+$/, '')
  if (!isOwn(url, new URL(own.url))) return { url: `${url.origin}${path}` }
  const [, city, service, rest] = SERVICE.exec(path) ?? []
  if (city === encodeURIComponent(own.city) && service !== undefined) return { service, path: rest ?? '' }
  throw rejected('is the address of gc itself; give that of the adapter, or of a service of this city')
}

/** A path below a service of a city. */
const SERVICE = /^\/v0\/city\/([^/]+)\/svc\/([A-Za-z0-9][\w-]*)(\/.*)?$/

const rejected = (detail: string) =>
  new AppError('validation-failed', `callback_url ${detail}`, {
    fieldErrors: [{ location: 'body.callback_url', message: detail }],
  })

const isLinkLocal = (host: string): boolean =>
  /^169\.254\./.test(host) || /^\[fe[89ab]/i.test(host) || /^\[::ffff:a9fe:/i.test(host)

const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f|0:0).*\])$/i

function isOwn(url: URL, own: URL): boolean {
  if (portOf(url) !== portOf(own)) return false
  return url.hostname === own.hostname || (LOOPBACK.test(url.hostname) && LOOPBACK.test(own.hostname))
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')
