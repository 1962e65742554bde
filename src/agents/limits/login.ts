import type { Account } from '../../config/accounts/index.ts'

/** Login of a program: an account, or the program's own. */
export interface Login {
  /** The name of the account; for the program's own login that of its provider; for an agent's own `agent:` and its name. */
  readonly id: string
  /** The provider whose limits it has; '' when that is not known. */
  readonly provider: string
  /** Absent for a login that no account declares. */
  readonly account?: Account
  /** True if it is of another provider than the agent's, and takes its work only when that has no room. */
  readonly standsIn?: boolean
}
