import { AppError } from '../core/errors.ts'
import type { Caller, PersonCaller, ProcessCaller, SessionCaller } from './caller.ts'

/** Permissions that an agent's `may` can list, beyond working and coordinating. */
export const PERMISSIONS = [
  'configure',
  'sessions',
  'mail',
  'respond',
  'budgets',
  'tokens',
  'maintain',
  'coordinate',
  'connect',
] as const
export type Permission = (typeof PERMISSIONS)[number]

/** Grants of people beyond reading: answering questions, reviewing changes, landing them. */
export const GRANTS = ['answer', 'review', 'land'] as const
export type Grant = (typeof GRANTS)[number]

/**
 * Requirement of an operation on sessions and other processes of gc. `read` and `work` ask nothing. `watch` (to read a
 * terminal or a conversation) and `coordinate` ask nothing either, unless the city is strict or the need says always.
 * `session` is for sessions only. `operator` is for neither.
 */
export type Requirement = Permission | 'read' | 'work' | 'watch' | 'session' | 'operator'

/** Detailed requirement of an operation. */
export interface DetailedNeed {
  /** Permission for resources that are not the caller's own. */
  readonly needs: Requirement
  /** Resource named by the path or the body; its owner needs no permission. */
  readonly ownable?: Ownable
  /** The grant that opens it to people with a token of their own; without one they may only read. */
  readonly grant?: Grant
  /** True if the permission is needed where the city is not strict as well. */
  readonly always?: true
  /** Additional permissions for fields of the body or the query that are true. */
  readonly fields?: Readonly<Record<string, Permission>>
}
export type Need = Requirement | DetailedNeed

/** Kinds of resources that can be the caller's own. */
export type Ownable = 'session' | 'message' | 'run' | 'change'

/** Permission for other sessions. */
export const ofOtherSessions = (needs: Requirement, fields?: DetailedNeed['fields']): DetailedNeed => ({
  needs,
  ownable: 'session',
  ...(fields && { fields }),
})

/** Permission for runs that the caller neither started nor works on. */
export const ofOtherRuns: DetailedNeed = { needs: 'coordinate', ownable: 'run', always: true }

/** Facts of a plane about its callers besides their credentials. */
export interface AccessPolicy {
  /** True if programs of this city need a permission for what otherwise every session may do. */
  isStrict(city: string): boolean
  /** True if what has this name is the caller's own. */
  owns(caller: SessionCaller | ProcessCaller, ownable: Ownable, name: string): boolean
}

/** One request as its need is judged. */
export interface AccessRequest {
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** A mutation that states no need is for the operator; every program of a city may read that city, and no other. */
export const needOf = ({ method, spec }: { method: string; spec: { needs?: Need } }): DetailedNeed => {
  const { needs = method === 'GET' ? 'read' : 'operator' } = spec
  return typeof needs === 'string' ? { needs } : needs
}

/** True if a change is one that not every session may make, so that the log says who made it. */
export const isLogged = ({ needs, always }: DetailedNeed, method: string): boolean =>
  method !== 'GET' && (always === true || !['read', 'work', 'watch', 'coordinate', 'session'].includes(needs))

/** Throws `forbidden` when the caller lacks what the operation needs. */
export function checkAccess(need: DetailedNeed, request: AccessRequest, summary: string, policy: AccessPolicy): void {
  const { caller, params } = request
  if (caller.kind === 'person') checkPerson(caller, need, request, summary)
  if (caller.kind !== 'session' && caller.kind !== 'process') return
  checkCity(caller, params.cityName)
  if (need.needs === 'read' && !need.fields) return
  const isOwn = owns(caller, need, request, policy)
  const required = [isOwn ? 'work' : need.needs, ...fieldNeeds(need, request, isOwn)]
  const isStrict = need.always === true || policy.isStrict(caller.city)
  for (const requirement of required) {
    if (!allows(caller, requirement, isStrict)) throw rejection(caller, requirement, summary)
  }
}

/** A person reads, terminals and screens as well, and does what they are granted. */
function checkPerson(caller: PersonCaller, need: DetailedNeed, request: AccessRequest, summary: string): void {
  const { needs, grant } = need
  if (grant !== undefined && caller.grants.includes(grant)) return
  const isReading = needs === 'read' || needs === 'watch'
  if (isReading && fieldNeeds(need, request, false).every((permission) => permission === 'coordinate')) return
  const reason =
    grant === undefined
      ? 'a person reads, answers, reviews and lands; for anything else send the token in $GC_HOME/token'
      : `their grants lack "${grant}"; the operator gives it with gc people remove and gc people add --grant`
  throw new AppError('forbidden', `forbidden: ${caller.person} may not do "${summary}": ${reason}`)
}

function owns(
  caller: SessionCaller | ProcessCaller,
  { ownable }: DetailedNeed,
  { params, body }: AccessRequest,
  policy: AccessPolicy,
): boolean {
  const name: unknown = params.id ?? params.session ?? params.run_id ?? Object(body).session
  return ownable !== undefined && typeof name === 'string' && policy.owns(caller, ownable, name)
}

function checkCity(caller: SessionCaller | ProcessCaller, city: string | undefined): void {
  if (city === undefined || city === caller.city) return
  throw new AppError(
    'forbidden',
    `forbidden: ${describe(caller)} is of the city ${caller.city} and reads and acts in no other`,
  )
}

/** Permissions for the fields that are true; none for the caller's own. */
function fieldNeeds({ fields = {} }: DetailedNeed, { query, body }: AccessRequest, isOwn: boolean): Permission[] {
  if (isOwn) return []
  const values: Readonly<Record<string, unknown>> = { ...Object(query), ...Object(body) }
  return Object.entries(fields).flatMap(([field, permission]) => (values[field] === true ? [permission] : []))
}

function allows(caller: SessionCaller | ProcessCaller, requirement: Requirement, isStrict: boolean): boolean {
  switch (requirement) {
    case 'read':
    case 'work':
      return true
    case 'session':
      return caller.kind === 'session'
    case 'operator':
      return false
    case 'watch':
    case 'coordinate':
      return !isStrict || has(caller, 'coordinate')
    default:
      return has(caller, requirement)
  }
}

const has = (caller: SessionCaller | ProcessCaller, permission: Permission): boolean =>
  caller.may?.includes(permission) === true

/** Name of a program with a token, in errors. */
const describe = (caller: SessionCaller | ProcessCaller): string =>
  caller.kind === 'session' ? `session ${caller.names[0] ?? caller.session}` : caller.name

function rejection(caller: SessionCaller | ProcessCaller, requirement: Requirement, summary: string): AppError {
  const action = `"${summary}"`
  if (requirement === 'operator') {
    return new AppError(
      'forbidden',
      `forbidden: ${describe(caller)} may not do ${action}: only people and the operator may`,
    )
  }
  if (caller.kind === 'process' || requirement === 'session') {
    return new AppError(
      'forbidden',
      `forbidden: ${describe(caller)} may not do ${action}: only sessions can be given "${requirement}"`,
    )
  }
  const permission = requirement === 'watch' ? 'coordinate' : requirement
  return new AppError(
    'forbidden',
    `forbidden: ${describe(caller)} may not do ${action}: its agent ${caller.agent} lacks "${permission}"; ` +
      `a person can grant it with may = [${[...caller.may, permission].map((one) => `"${one}"`).join(', ')}] in ${caller.declaredIn}`,
  )
}
