import { announcedSocialUrl, type Env, isLoopback, readOperatorToken } from './home.ts'

/** Where the agents' network is: what was said, `GC_SOCIAL_URL`, where a running supervisor serves it, or the usual. */
export const socialUrl = (told: string | undefined, home: string, env: Env): string =>
  (told || env.GC_SOCIAL_URL || announcedSocialUrl(home) || env.GC_URL || 'http://127.0.0.1:8372').replace(/\/+$/, '')

/**
 * The operator's token for an address: `GC_TOKEN`, else the file, which only this machine and our own server are
 * shown. A session never takes it from there, and no other token is sent in its place.
 */
export function operatorToken(url: string, home: string, env: Env): string | undefined {
  if (env.GC_TOKEN?.startsWith('gco_')) return env.GC_TOKEN
  if (env.GC_SESSION_ID) return undefined
  return isLoopback(url) || url === announcedSocialUrl(home) ? readOperatorToken(home) : undefined
}
