import type { Code } from '../core/errors.ts'
import { outcomeOf } from './operation.ts'
import { type Problems, problems } from './problem.ts'
import type { Route } from './route.ts'

/** What differs from plane to plane in how it speaks. */
export interface Dialect {
  /** What every one of its paths begins with. */
  readonly prefix: string
  readonly problems: Problems
  /** What its bearer credential is, for the document. */
  readonly credential: string
  /** Whether everyone has to show a credential, but at open operations. */
  readonly closed: boolean
  /** Whether mutations carry `X-GC-Request`. */
  readonly marked: boolean
  /** What can go wrong with an operation whatever it does. */
  common(route: Route): readonly Code[]
}

/** How the supervisor's plane speaks. */
export const supervisorDialect: Dialect = {
  prefix: '',
  problems,
  credential: 'A session’s token, or the operator’s.',
  closed: false,
  marked: true,
  common({ method, path, spec }) {
    const codes: Code[] = ['unauthorized', 'host-not-allowed', 'internal']
    const inCity = path.includes('{cityName}')
    if (path.includes('{')) codes.push('invalid-request')
    if (inCity) codes.push('city-not-found', 'store-unavailable')
    if (inCity || spec.query || spec.body || spec.blocking) codes.push('validation-failed')
    if (method !== 'GET' || outcomeOf(spec.ok).kind === 'socket') codes.push('forbidden')
    return codes
  },
}
