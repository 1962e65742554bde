import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../shared/index.ts'
import { RateLimiter, type RequestLimiter } from './rate-limiter.ts'

/** The limits that count every request. */
export const REQUEST_LIMITS = ['general', 'pages', 'localPages'] as const
export type RequestLimit = (typeof REQUEST_LIMITS)[number]

/** The counts of requests, by limit. */
export type RequestLimiters = Readonly<Record<RequestLimit, RequestLimiter>>

/** Number of times as many pages this machine may request, unless a proxy is in front. */
const LOCAL_PAGES = 10

/** Number of requests that each of these limits allows. */
export const requestLimits = ({ general, pages }: Limits) => ({
  general,
  pages,
  localPages: { ...pages, count: pages.count * LOCAL_PAGES },
})

/** The counts of this process. */
export function requestLimiters(clock: Clock, limits: Limits): Readonly<Record<RequestLimit, RateLimiter>> {
  const { general, pages, localPages } = requestLimits(limits)
  return {
    general: new RateLimiter(clock, general),
    pages: new RateLimiter(clock, pages),
    localPages: new RateLimiter(clock, localPages),
  }
}
