import type { Diagnostics } from '../files/diagnostics.ts'
import { mergeValues } from './apply-patch.ts'
import { type Declaration, locationOf } from './declaration.ts'
import type { NamedSessionFields } from './named-session.ts'
import type { NamedSessionPatchFields } from './patches.ts'

/** Named sessions with what a patch says of the one that it names. */
export function patchNamedSession(
  sessions: readonly Declaration<NamedSessionFields>[],
  patch: Declaration<NamedSessionPatchFields>,
  diagnostics: Diagnostics,
): readonly Declaration<NamedSessionFields>[] {
  const { name, template, dir, mode } = patch.values
  const field = name === undefined ? 'template' : 'name'
  const named = sessions.filter(({ values }) => {
    const matches = name === undefined ? values.template === template : (values.name ?? values.template) === name
    return matches && (dir === undefined || values.dir === dir)
  })
  const ofCity = dir === undefined ? named.filter(({ values }) => values.dir === undefined) : []
  const matching = ofCity.length === 1 ? ofCity : named
  const [target] = matching
  if (!target || matching.length > 1) {
    const count = target ? 'several named sessions' : 'no named session'
    diagnostics.error(locationOf(patch, field), `there ${target ? 'are' : 'is'} ${count} "${name ?? template ?? ''}"`)
    return sessions
  }
  return sessions.map((each) => (each === target && mode ? mergeValues(each, { mode }, patch) : each))
}
