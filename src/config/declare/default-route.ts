import { requiredString, string, type ValuesOf } from './fields.ts'

/** `[[extmsg.default_route]]`: which agent answers conversations of a messenger that are bound to nobody. */
export const DEFAULT_ROUTE = {
  provider: requiredString('provider'),
  accountId: string('account_id'),
  agent: requiredString('agent'),
}
export type DefaultRouteFields = ValuesOf<typeof DEFAULT_ROUTE>
