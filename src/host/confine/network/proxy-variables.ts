import type { ProxyRules } from '../../protocol/proxy.ts'

/** This machine is reached without the proxy: gc's own API, and what the session listens on. */
const DIRECT = 'localhost,127.0.0.1,::1'
/** Each is read by some programs in capitals, by others in small letters. */
const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']

interface Proxy {
  port: number
  password: string
  rules: Pick<ProxyRules, 'env' | 'keys'>
}

/** The variables by which programs find the proxy of their session, and the addresses of their providers. */
export function proxyVariables({ port, password, rules }: Proxy): Record<string, string> {
  const address = `http://gc:${password}@127.0.0.1:${port}`
  const both = [...NAMES.map((name) => [name, address] as const), ['NO_PROXY', DIRECT] as const]
  const filled = Object.entries(rules.env).map(([name, value]) => [
    name,
    withAddresses(value, port, rules.keys).replaceAll('{key}', password),
  ])
  return {
    ...Object.fromEntries(both.flatMap(([name, value]) => [name, name.toLowerCase()].map((each) => [each, value]))),
    NODE_USE_ENV_PROXY: '1',
    ...Object.fromEntries(filled),
  }
}

/** A text with the addresses at which a proxy has keys, in place of `{url:NAME}`. */
export const withAddresses = (text: string, port: number, keys: ProxyRules['keys']): string =>
  keys.reduce((filled, { name }) => filled.replaceAll(`{url:${name}}`, `http://127.0.0.1:${port}/${name}`), text)
