import { existsSync } from 'node:fs'
import { type Account, type Accounts, homeVariables } from '../../config/accounts/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { errorMessage } from '../../core/errors.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import { PROBES, ProgramInspector } from '../readiness/index.ts'

/** Looks whether a login can be worked with, without spending anything on it. */
export class LoginCheck {
  constructor(
    private readonly context: CityContext,
    private readonly accounts: Accounts,
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly tokens: ProcessTokens,
  ) {}

  /** Problem with a login and its fix; undefined if none is known. */
  async problem(provider: string, account: Account | undefined): Promise<string | undefined> {
    const { deadlines } = this.context
    const { accounts, env, tokens } = this
    if (account?.home !== undefined && !existsSync(account.home)) {
      return `there is no folder ${account.home}; log ${provider} in there first`
    }
    try {
      const own = account ? accounts.environment(account) : {}
      // A program that is given a key needs no login of its own.
      if (account?.envFile !== undefined) return undefined
      const probe = PROBES.get(provider)
      const inspector = new ProgramInspector({ ...env, ...own }, deadlines, tokens)
      if (!probe || !inspector.findProgram(probe.program)) return undefined
      const { status, detail } = await probe.check(inspector)
      if (status !== 'needs_auth') return undefined
      const [[variable, folder] = []] = account ? Object.entries(homeVariables(account)) : []
      const where = variable === undefined ? '' : ` with ${variable}=${folder}`
      return `it is not logged in: ${detail ?? 'log in'}${where}`
    } catch (error) {
      return errorMessage(error)
    }
  }
}
