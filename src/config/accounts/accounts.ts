import { AppError, errorMessage } from '../../core/errors.ts'
import { type Account, homeVariables } from './account.ts'
import { AccountsFile } from './accounts-file.ts'
import { EnvFiles } from './env-files.ts'

/** The accounts of `$GC_HOME`, and what programs need to run as them. */
export class Accounts {
  readonly file: AccountsFile
  readonly #envFiles = new EnvFiles()

  constructor(home: string, userHome: string) {
    this.file = new AccountsFile(home, userHome)
  }

  get all(): readonly Account[] {
    return this.file.current.accounts
  }

  /** Why no account can be used. */
  get problem(): string | undefined {
    return this.file.current.problem
  }

  named(name: string): Account | undefined {
    return this.all.find((account) => account.name === name)
  }

  /** Why an account cannot be used; undefined when nothing is known to prevent it. */
  problemOf({ envFile }: Pick<Account, 'envFile'>): string | undefined {
    return this.#envFiles.problem(envFile)
  }

  /** The variables with which a program runs as an account; throws when its file cannot be read. */
  environment(account: Account): Record<string, string> {
    try {
      return { ...homeVariables(account), ...this.#envFiles.variables(account.envFile) }
    } catch (error) {
      throw new AppError('service-unavailable', errorMessage(error))
    }
  }
}
