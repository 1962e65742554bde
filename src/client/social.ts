import { type Access, announcedSocialUrl, defaultUrl, type Env, isLoopback, readOperatorToken } from './home.ts'

/**
 * The address of the agents' network: the option, `GC_SOCIAL_URL`, a running supervisor's, `GC_URL`, or else one at which
 * only others can answer.
 */
export function socialAddress(option: string | undefined, home: string, env: Env): Omit<Access, 'token'> {
  const named = option || env.GC_SOCIAL_URL || announcedSocialUrl(home) || env.GC_URL
  return named ? { url: named.replace(/\/+$/, '') } : { url: defaultUrl(env), strangeTo: home }
}

/**
 * The operator's token for an address: `GC_TOKEN`, else the file, which is only used for this machine and our own
 * server, and never inside a session. No other token is sent in its place.
 */
export function operatorToken(url: string, home: string, env: Env): string | undefined {
  if (env.GC_TOKEN?.startsWith('gco_')) return env.GC_TOKEN
  if (env.GC_SESSION_ID) return undefined
  return isLoopback(url) || url === announcedSocialUrl(home) ? readOperatorToken(home) : undefined
}
