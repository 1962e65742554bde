import { oneOf, requiredString, string, type ValuesOf } from './fields.ts'

/** `[[named_session]]`: an identity that is kept for one session of an agent. */
export const NAMED_SESSION = {
  template: requiredString('template'),
  name: string('name'),
  dir: string('dir'),
  scope: oneOf('scope', ['city', 'rig']),
  mode: oneOf('mode', ['on_demand', 'always']),
}
export type NamedSessionFields = ValuesOf<typeof NAMED_SESSION>
