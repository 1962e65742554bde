import { join } from 'node:path'
import type { PackConfig, RigConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import { type Diagnostic, Diagnostics } from '../diagnostics/diagnostics.ts'
import type { LayerContext } from '../layers/layer.ts'
import { findInstances, type OrderInstance } from './instances.ts'
import { type AbsentOrder, type Order, type Orders, scopedNameOf } from './order.ts'
import { ORDERS_FOLDER } from './order-files.ts'
import { isFor, type OrderOverride, withOverrides } from './overrides.ts'
import { type OrderDefaults, resolveOrder } from './resolve-order.ts'

interface OrdersContext extends LayerContext {
  readonly packs: readonly PackConfig[]
  readonly rigs: readonly RigConfig[]
}

/** The orders of a city and its packs; one that is broken is left out. */
export function resolveOrders({ orders, workspace }: CityDeclarations, context: OrdersContext): Orders {
  const { skip = [], maxTimeout, overrides = [] } = orders?.values ?? {}
  const defaults = { zone: workspace?.values.timezone ?? localZone(), maxTimeout }
  const { instances, dropped } = findInstances(context)
  const found = instances.map((instance) => resolveInstance(instance, { skip, overrides, defaults }))
  const all = found.flatMap(({ order }) => order ?? [])
  const absent = found.flatMap(({ absent }) => absent ?? [])
  const dropWarnings = dropped.flatMap(({ file: { declaration }, reason }) =>
    declaration ? [warning(declaration, 'scope', reason)] : [],
  )
  const files = [...instances, ...dropped.map(({ file }) => file)]
  const unmatchedOverrides = overrides.flatMap((override) => unmatchedWarning(override, files))
  const idle = overrides.flatMap((override) => disabledWarning(override, found))
  const ofFiles = [...found.flatMap(({ diagnostics }) => diagnostics), ...dropWarnings]
  const problems = unique([...ofFiles, ...unmatchedOverrides, ...idle]).map(withoutErrors)
  for (const problem of problems) context.diagnostics.add(problem)
  return { all, absent, problems: problems.filter(({ severity }) => severity !== 'lint'), unmatchedOverrides }
}

interface Settings {
  readonly skip: readonly string[]
  readonly overrides: readonly OrderOverride[]
  readonly defaults: OrderDefaults
}

interface Found {
  readonly order?: Order
  readonly absent?: AbsentOrder
  readonly diagnostics: readonly Diagnostic[]
}

function resolveInstance(instance: OrderInstance, { skip, overrides, defaults }: Settings): Found {
  const { name, rig, layer, pack, declaration, diagnostics: ofFile } = instance
  const { enabled, description = '', skipAliases = [] } = declaration?.values ?? {}
  const place = { name, ...(rig !== undefined && { rig }), file: join(layer, ORDERS_FOLDER, `${name}.toml`) }
  const isSkipped = [name, ...skipAliases].some((each) => skip.includes(each))
  if (isSkipped) return { absent: { ...place, description, reason: 'skipped' }, diagnostics: [] }
  if (!declaration) return { diagnostics: ofFile }
  const diagnostics = new Diagnostics()
  const own = resolveOrder(declaration, defaults, diagnostics)
  if (own && enabled === false) return { absent: { ...place, description, reason: 'disabled' }, diagnostics: ofFile }
  const matching = overrides.filter((override) => isFor(override, instance))
  const resolved =
    own && matching.length > 0 ? resolveOrder(withOverrides(declaration, matching), defaults, diagnostics) : own
  const order = resolved && {
    ...{ ...place, scopedName: scopedNameOf(name, rig), layer, ...(pack && { pack }), ...resolved },
  }
  return { ...(order && { order }), diagnostics: [...ofFile, ...diagnostics.list('error')] }
}

/** Says that an override is for an order that is not there. */
function unmatchedWarning(override: OrderOverride, files: readonly { name: string; rig?: string }[]): Diagnostic[] {
  const { name, rig } = override.values
  if (name === undefined || files.some((file) => isFor(override, file))) return []
  const where = rig === undefined ? 'in the city' : rig === '*' ? 'at all' : `in the rig "${rig}"`
  const message = `changes nothing: there is no order "${name}" ${where}; correct its name or rig, or delete it`
  return [warning(override, 'name', message)]
}

/** Says that an override is for an order that its own file disables. */
function disabledWarning(override: OrderOverride, found: readonly Found[]): Diagnostic[] {
  const disabled = found.find(({ absent }) => absent?.reason === 'disabled' && isFor(override, absent))?.absent
  if (!disabled) return []
  return [
    warning(override, 'name', `changes nothing: ${disabled.file} says enabled = false; an override does not undo that`),
  ]
}

const warning = <Values>(
  declaration: Declaration<Values>,
  field: keyof Values & string,
  message: string,
): Diagnostic => ({
  ...{ severity: 'warning', ...locationOf(declaration, field), message },
})

/** What is wrong with an order keeps nothing else from being put in force. */
const withoutErrors = (diagnostic: Diagnostic): Diagnostic =>
  diagnostic.severity === 'error' ? { ...diagnostic, severity: 'broken' } : diagnostic

/** A file of several rigs is complained of once. */
const unique = (diagnostics: readonly Diagnostic[]): Diagnostic[] => [
  ...new Map(diagnostics.map((each) => [JSON.stringify(each), each])).values(),
]

const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
