import { DOCTOR_CHECKS, type DoctorCheckName } from '../../src/core/error-catalogue.ts'

/** Result of a check. */
export type CheckStatus = 'ok' | 'warning' | 'error' | 'unknown'

/** One line of `gc doctor`, in the keys of its JSON. */
export interface CheckResult {
  readonly name: string
  readonly status: CheckStatus
  readonly message: string
  /** Fix of a bad result. */
  readonly fix_hint?: string
  readonly details?: readonly string[]
  readonly fix_attempted?: boolean
  readonly fix_error?: string
  readonly fixed?: boolean
}

/** A check of gc's own; `fix` fixes a bad result, if gc can. */
export interface Check {
  readonly name: DoctorCheckName
  run(): CheckResult | readonly CheckResult[] | Promise<CheckResult | readonly CheckResult[]>
  fix?(): void | Promise<void>
}

export const ok = (name: string, message: string): CheckResult => ({ name, status: 'ok', message })

/** A bad result, with what to do. */
export const bad = (
  status: Exclude<CheckStatus, 'ok'>,
  name: string,
  message: string,
  fixHint: string,
  details: readonly string[] = [],
): CheckResult => ({ name, status, message, fix_hint: fixHint, ...(details.length > 0 && { details }) })

/** The usual fix of what a check looks for. */
export const usualFix = (name: DoctorCheckName): string => DOCTOR_CHECKS[name].fix
