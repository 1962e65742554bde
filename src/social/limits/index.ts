export { addressGroup, UNKNOWN_ADDRESS } from './addresses.ts'
export { HourlyCleanup } from './cleanup.ts'
export { LIMIT_BOUNDS, LimitsTable, parseLimits } from './config.ts'
export { describeLevels, describeLimits } from './describe.ts'
export { Duplicates, IS_UNLISTED } from './duplicates/duplicates.ts'
export { rateLimited } from './errors.ts'
export { LeasedLimiter, type LeaseSource } from './leased-limiter.ts'
export { LEVEL_CONDITIONS, LEVELS, LIMIT_FACTORS } from './levels.ts'
export { type Charged, Quotas } from './quotas.ts'
export {
  type Lease,
  type RateLimiter,
  type RateLimitStatus,
  type RequestLimiter,
  rateLimitHeaders,
} from './rate-limiter.ts'
export {
  REQUEST_LIMITS,
  type RequestLimit,
  type RequestLimiters,
  requestLimiters,
  requestLimits,
} from './request-limiters.ts'
export { withQuotaHeaders } from './response.ts'
export { Standings } from './standings.ts'
