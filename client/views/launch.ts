import { ApiError } from '../../src/client/errors.ts'
import type { Output } from '../../src/client/operations.ts'
import type { Action, Field, Outcome, Reach } from './page.ts'

type Variable = NonNullable<Output<'GET ~/formulas/{name}'>['var_defs']>[number]

/** A run that is asked for: of a formula, by an agent, for a bead or for none. */
export interface Launch {
  readonly formula: string
  readonly target: string
  readonly bead: string
}

/** Variables that gc sets for every run, for a run of a bead, and where it knows a branch. */
const BUILTIN_VARIABLES: ReadonlySet<string> = new Set(['rig_name', 'binding_name', 'binding_prefix'])
const BEAD_VARIABLES: ReadonlySet<string> = new Set(['issue', 'bead_id', 'convoy_id'])
const OPTIONAL_VARIABLES: ReadonlySet<string> = new Set(['base_branch', 'target_branch'])

/** Begins a run; where the formula has variables, they are asked for first. */
export async function launchRun(reach: Reach, launch: Launch): Promise<Outcome> {
  const variables = (await readVariables(reach, launch)).filter(
    ({ name }) => !BUILTIN_VARIABLES.has(name) && (launch.bead === '' || !BEAD_VARIABLES.has(name)),
  )
  return variables.length === 0 ? begin(reach, launch, {}) : { begins: askVariables(launch, variables) }
}

/** The variables of a formula, as the rig of the agent has it. */
async function readVariables({ city }: Reach, { formula: name, target }: Launch): Promise<readonly Variable[]> {
  const read = async (scope_kind: 'city' | 'rig', scope_ref: string) =>
    (await city.call('GET ~/formulas/{name}', { params: { name }, query: { target, scope_kind, scope_ref } })).var_defs
  const at = target.lastIndexOf('/')
  const ofRig = at < 0 ? undefined : await read('rig', target.slice(0, at)).catch(unlessNoRig)
  return ofRig ?? (await read('city', city.name)) ?? []
}

/** An agent of a folder that is not a rig runs the formulas of the city. */
function unlessNoRig(error: unknown): undefined {
  if (error instanceof ApiError && error.code === 'scope-not-found') return undefined
  throw error
}

const askVariables = (launch: Launch, variables: readonly Variable[]): Action => ({
  key: '',
  name: 'run',
  help: `what ${launch.formula} is run with${launch.bead && ` for ${launch.bead}`}`,
  fields: variables.toSorted((a, b) => Number(b.required ?? false) - Number(a.required ?? false)).map(fieldOf),
  run: (reach, values) => begin(reach, launch, given(variables, values)),
})

/** A variable as it is asked for: with its default, and what it may be. */
export function fieldOf({ name, description, default: initial, required, enum: choices, pattern }: Variable): Field {
  const told = [name, description, pattern && `matches ${pattern}`]
  return {
    name,
    title: told.filter(Boolean).join(' · '),
    ...(initial !== undefined && { initial: String(initial) }),
    ...(pattern && { pattern }),
    ...(choices && choices.length > 0 && { choices }),
    isOptional: !required || OPTIONAL_VARIABLES.has(name),
  }
}

/** Empty fields are not sent, unless that removes a default. */
const given = (variables: readonly Variable[], values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    variables.flatMap(({ name, default: initial }) => {
      const value = values[name] ?? ''
      return value === '' && !initial ? [] : [[name, value]]
    }),
  )

async function begin(
  { city }: Reach,
  { formula, target, bead }: Launch,
  vars: Record<string, string>,
): Promise<Outcome> {
  const body = { target, formula, ...(bead && { attached_bead_id: bead }), vars }
  const { run } = await city.call('POST ~/sling', { body })
  const text = bead ? `${bead} is slung to ${target} by ${formula}` : `a run of ${formula} begins`
  const place = run ? { page: 'run', subject: run.run_id } : { page: 'runs', subject: '' }
  return { text, opens: { ...place, city: city.name } }
}
