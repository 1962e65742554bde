import type { CityConfig } from '../../../config/city/index.ts'
import { originHead } from '../../../config/rig-api/index.ts'
import { sha256 } from '../../../core/digest.ts'
import { byKey } from '../../../core/text/index.ts'
import type { BeadRepository } from '../../../work/beads/index.ts'
import type { Convoys } from '../../../work/convoys/index.ts'
import { ConvoyKey } from '../../../work/metadata.ts'
import type { Recipe, RouteTarget } from '../../formulas/index.ts'

export type Variables = Readonly<Record<string, string>>

interface VariableContext {
  config: Pick<CityConfig, 'rigs'>
  beads: BeadRepository
  convoys: Convoys
  formula: string
  /** The rig of the run; '' is the city itself. */
  rig: string
  /** Absent for what is made for no one. */
  target?: RouteTarget | undefined
  /** The bead that the formula is run for. */
  bead?: string | undefined
}

/** Variables that gc adds to a formula; the caller's values win. */
export function injectedVariables(context: VariableContext): Variables {
  const { rig, target } = context
  const { binding = '' } = target?.agent ?? {}
  const branch = branchVariable(context.formula)
  const value = branch && branchOf(context)
  return {
    ...{ rig_name: rig, binding_name: binding, binding_prefix: binding && `${binding}.` },
    ...(branch && value && { [branch]: value }),
  }
}

/** The variable for a branch that formulas of these names expect. */
function branchVariable(formula: string): string | undefined {
  if (formula === 'mol-scoped-work' || formula.startsWith('mol-polecat-')) return 'base_branch'
  return formula === 'mol-refinery-patrol' ? 'target_branch' : undefined
}

/** The branch that a bead, or one of its convoys, is for; else that of the rig, or of where the rig was cloned from. */
function branchOf({ bead, beads, convoys, config, rig }: VariableContext): string | undefined {
  const sources = bead === undefined ? [] : [bead, ...convoys.convoysOf(bead)]
  const named = sources.flatMap((id) => beads.find(id)?.metadata?.[ConvoyKey.target] || [])[0]
  const declared = config.rigs.find(({ name }) => name === rig)
  return named ?? declared?.defaultBranch ?? (declared?.path && originHead(declared.path))
}

/** Variables that a graph gets from its launch, not from who starts it. */
const OF_LAUNCH = ['convoy_id', 'issue', 'bead_id']

/** The variables of a graph as JSON, in one order whatever the order they were given in. */
export function variablesJson({ variables }: Recipe): string {
  const entries = Object.entries(variables.values).filter(([name]) => !OF_LAUNCH.includes(name))
  return JSON.stringify(Object.fromEntries(entries.sort(byKey)))
}

interface RootKeyParts {
  convoy: string
  formula: string
  variables: string
  scope: { kind: string; ref: string } | undefined
}

/** The beginning of the keys of all launches for a convoy; what follows is set off by a colon. */
export const rootKeyOf = (convoy: string): string => `graphv2-root:${convoy}`

/** Identity of a launch. */
export function rootKey({ convoy, formula, variables, scope }: RootKeyParts): string {
  return `${rootKeyOf(convoy)}:${formula}:${hashOf(variables)}:${scope ? `${scope.kind}=${scope.ref}` : 'default'}`
}

interface DrainRootKeyParts extends Omit<RootKeyParts, 'scope'> {
  control: string
  member: string
}

/** Identity of a drain's run for one member. */
export const drainRootKey = ({ convoy, formula, variables, control, member }: DrainRootKeyParts): string =>
  `${rootKeyOf(convoy)}:${formula}:${hashOf(variables)}:drain=${control}:${member}`

const hashOf = (variables: string): string => (variables === '{}' ? 'empty' : sha256(variables).slice(0, 16))
