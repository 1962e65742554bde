import { compareVersions, parseConstraint, parseVersion, type Version } from '../../config/packs/index.ts'
import type { Place, Requirement } from './formula.ts'
import type { Problems, TableReader } from './reader.ts'

const AXES = ['formula_compiler', 'gc_extensions'] as const

/** Capabilities of this gc, by axis. */
export interface Capabilities {
  /** True if graphs may be compiled: `[daemon] formula_v2`. */
  readonly graphs: boolean
}

const V1: Version = [1, 0, 0]
const V2: Version = [2, 0, 0]

/** Reads `[requires]`, and the older `contract = "graph.v2"`. */
export function parseRequirements(table: TableReader): Requirement[] {
  const requires = table.sub('requires')
  const declared = (requires?.entries() ?? []).flatMap(([key, node]): Requirement[] => {
    const axis = AXES.find((each) => each === key)
    if (!axis) {
      requires?.problem(key, `requires.${key} is unknown: there are ${AXES.join(' and ')}`)
      return []
    }
    if (node.kind !== 'string' || parseConstraint(node.value)?.kind !== 'range') {
      requires?.problem(key, `requires.${key} must compare versions: ">=2.0.0"`)
      return []
    }
    return [{ axis, constraint: node.value, place: { file: table.file, line: node.line } }]
  })
  const contract = table.string('contract')
  if (contract === undefined) return declared
  if (contract !== 'graph.v2') table.problem('contract', `contract is "${contract}": only graph.v2 is there`)
  return [...declared, { axis: 'formula_compiler', constraint: '>=2.0.0', place: table.placeOf('contract') }]
}

/** True if a version is what all constraints of an axis want. */
const accepts = (requirements: readonly Requirement[], version: Version): boolean =>
  requirements.every(({ constraint }) => {
    const parsed = parseConstraint(constraint)
    return parsed?.kind === 'range' && parsed.accepts(version)
  })

const ofAxis = (requirements: readonly Requirement[], axis: Requirement['axis']): Requirement[] =>
  requirements.filter((requirement) => requirement.axis === axis)

/** True if formulas with these requirements are compiled to a graph. */
export const isGraph = (requirements: readonly Requirement[]): boolean =>
  ofAxis(requirements, 'gc_extensions').length > 0 || !accepts(ofAxis(requirements, 'formula_compiler'), V1)

/** True if they ask for what only gc does. */
export const hasExtensions = (requirements: readonly Requirement[]): boolean =>
  ofAxis(requirements, 'gc_extensions').length > 0

/** Requirements without those that say the same again. */
export const uniqueRequirements = (requirements: readonly Requirement[]): Requirement[] => [
  ...new Map(requirements.map((each) => [`${each.axis} ${each.constraint}`, each])).values(),
]

/** Finds requirements that this gc, or any gc, cannot meet. */
export function checkRequirements(
  requirements: readonly Requirement[],
  { graphs }: Capabilities,
  place: Place,
  problems: Problems,
): void {
  for (const axis of AXES) {
    const own = ofAxis(requirements, axis)
    const [first] = own
    if (!first) continue
    const wanted = own.map(({ constraint }) => constraint).join(' and ')
    if (!isSatisfiable(own)) {
      problems.add(first.place, `no version can be ${axis} ${wanted}: the formulas that this one is made of disagree`)
      continue
    }
    const capability = axis === 'gc_extensions' ? V1 : graphs ? V2 : V1
    if (accepts(own, capability)) continue
    const off = axis === 'formula_compiler' && !graphs ? ' (formula_v2 is off in [daemon] of city.toml)' : ''
    problems.add(first.place, `requires ${axis} ${wanted}, and this city has ${capability.join('.')}${off}`)
  }
  if (hasExtensions(requirements) && !graphs) {
    problems.add(place, 'requires gc_extensions, which need graphs: formula_v2 is off in [daemon] of city.toml')
  }
}

/** True if any version meets all: one of the bounds, or one right beside them. */
function isSatisfiable(requirements: readonly Requirement[]): boolean {
  const bounds = requirements.flatMap(({ constraint }) =>
    constraint.split(',').flatMap((part): Version[] => {
      const bound = parseVersion(part.replace(/^[^\dv]*/, ''))
      return bound ? [bound, [bound[0], bound[1], bound[2] + 1]] : []
    }),
  )
  const candidates: Version[] = [[0, 0, 0], ...bounds]
  return candidates.sort(compareVersions).some((version) => accepts(requirements, version))
}
