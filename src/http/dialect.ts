import type { ApiCode } from '../core/error-catalogue.ts'
import { successKindOf } from './request-validator.ts'
import { type ProblemFormat, problemDetails } from './respond/index.ts'
import type { Route } from './route.ts'

/** Differences in the wire format between planes. */
export interface PlaneDialect {
  /** Prefix of all of its paths. */
  readonly prefix: string
  readonly problems: ProblemFormat
  /** Description of its bearer credential, for the document. */
  readonly credential: string
  /** True if everyone has to show a credential, but at open operations. */
  readonly requiresCredential: boolean
  /** True if mutations carry `X-GC-Request`. */
  readonly requiresRequestHeader: boolean
  /** What can go wrong with an operation whatever it does. */
  commonErrors(route: Route): readonly ApiCode[]
}

/** Wire format of the supervisor's plane. */
export const supervisorDialect: PlaneDialect = {
  prefix: '',
  problems: problemDetails,
  credential: 'A session’s token, or the operator’s.',
  requiresCredential: false,
  requiresRequestHeader: true,
  commonErrors({ method, path, spec }) {
    const codes: ApiCode[] = ['unauthorized', 'host-not-allowed', 'internal', 'service-unavailable']
    const inCity = path.includes('{cityName}')
    if (path.includes('{')) codes.push('invalid-request')
    if (inCity) codes.push('city-not-found', 'store-unavailable')
    if (inCity || spec.query || spec.body || spec.blocking) codes.push('validation-failed')
    if (inCity || method !== 'GET' || spec.needs || successKindOf(spec.ok).kind === 'socket') codes.push('forbidden')
    return codes
  },
}
