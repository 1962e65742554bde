import { AppError } from '../../core/errors.ts'
import type { SlingInputBody } from './schema.ts'
import type { Target } from './target.ts'

/** What a request asks for once its arguments agree with each other. */
export interface Order {
  bead?: string | undefined
  formula?: string | undefined
}

/** Refuses arguments that do not go together, in a fixed order; tells what is left to do. */
export function checkArguments(body: SlingInputBody, { agent }: Target, city: string): Order {
  const { bead, formula, attached_bead_id: attached } = body
  const usual = bead && !body.no_formula ? agent.defaultSlingFormula : undefined
  if (!bead && !formula) refuse('name a bead or a formula')
  if (bead && formula) refuse('name a bead or a formula, not both; to launch a formula for a bead use attached_bead_id')
  if (bead && attached) refuse('bead and attached_bead_id exclude each other')
  if (attached && !formula) refuse('attached_bead_id needs a formula')
  const options = Object.keys(body.vars ?? {}).length > 0 || Boolean(body.title || body.scope_kind || body.scope_ref)
  if (options && !formula && !usual) refuse('vars, title and scope belong to a formula, and there is none')
  if (!body.scope_kind !== !body.scope_ref) refuse('scope_kind and scope_ref go together')
  if (body.scope_kind && !['city', 'rig'].includes(body.scope_kind)) refuse('scope_kind is city or rig')
  if (body.owned && body.no_convoy) refuse('owned is about the convoy, and no_convoy leaves it out')
  if (body.merge && !['direct', 'mr', 'local'].includes(body.merge)) refuse('merge is direct, mr or local')
  if (body.no_formula && formula) refuse('no_formula and formula exclude each other')
  checkScope(body, agent.dir, city)
  return bead ? { bead, formula: usual } : { formula }
}

function checkScope({ scope_kind, scope_ref, rig }: SlingInputBody, targetRig: string | undefined, city: string): void {
  if (scope_kind === 'city' && scope_ref !== city) {
    throw new AppError('scope-not-found', `scope_ref ${scope_ref} is not this city, which is ${city}`)
  }
  if (scope_kind !== 'rig') return
  if (targetRig === undefined) refuse(`a scope of rig ${scope_ref} needs an agent of that rig`)
  if (targetRig !== scope_ref) refuse(`the agent belongs to rig ${targetRig}, not to ${scope_ref}`)
  if (rig && rig !== scope_ref) refuse('rig and scope_ref name different rigs')
}

function refuse(fault: string): never {
  throw new AppError('invalid-request', fault)
}
