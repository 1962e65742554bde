import { AppError } from '../../core/errors.ts'
import type { Target } from '../routing/target.ts'
import type { SlingInputBody } from './schema.ts'

/** What a request slings, once its arguments agree with each other. */
export interface SlingSubject {
  bead?: string | undefined
  formula?: string | undefined
}

/** Throws for arguments that do not go together, in a fixed order; returns what to sling. */
export function checkArguments(body: SlingInputBody, { agent }: Target, city: string): SlingSubject {
  const { bead, formula, attached_bead_id: attached } = body
  const defaultFormula = bead && !body.no_formula ? agent.defaultSlingFormula : undefined
  if (!bead && !formula) reject('name a bead or a formula')
  if (bead && formula) reject('name a bead or a formula, not both; to launch a formula for a bead use attached_bead_id')
  if (bead && attached) reject('bead and attached_bead_id exclude each other')
  if (attached && !formula) reject('attached_bead_id needs a formula')
  const hasFormulaOptions =
    Object.keys(body.vars ?? {}).length > 0 || Boolean(body.title || body.scope_kind || body.scope_ref)
  if (hasFormulaOptions && !formula && !defaultFormula)
    reject('vars, title and scope belong to a formula, and there is none')
  if (!body.scope_kind !== !body.scope_ref) reject('scope_kind and scope_ref go together')
  if (body.scope_kind && !['city', 'rig'].includes(body.scope_kind)) reject('scope_kind is city or rig')
  if (body.owned && body.no_convoy) reject('owned is about the convoy, and no_convoy leaves it out')
  if (body.merge && !['direct', 'mr', 'local'].includes(body.merge)) reject('merge is direct, mr or local')
  if (body.no_formula && formula) reject('no_formula and formula exclude each other')
  checkScope(body, agent.dir, city)
  return bead ? { bead, formula: defaultFormula } : { formula }
}

function checkScope({ scope_kind, scope_ref, rig }: SlingInputBody, targetRig: string | undefined, city: string): void {
  if (scope_kind === 'city' && scope_ref !== city) {
    throw new AppError('scope-not-found', `scope_ref ${scope_ref} is not this city, which is ${city}`)
  }
  if (scope_kind !== 'rig') return
  if (targetRig === undefined) reject(`a scope of rig ${scope_ref} needs an agent of that rig`)
  if (targetRig !== scope_ref) reject(`the agent belongs to rig ${targetRig}, not to ${scope_ref}`)
  if (rig && rig !== scope_ref) reject('rig and scope_ref name different rigs')
}

function reject(message: string): never {
  throw new AppError('invalid-request', message)
}
