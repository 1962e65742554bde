/** What a program is logged in as: an account, or what the program finds for itself. */
export interface Login {
  /** The name of the account; for the program's own login that of its provider; for an agent's own that of the agent. */
  readonly id: string
  /** The provider whose limits it has. */
  readonly provider: string
}
