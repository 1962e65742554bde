import { programOf } from '../../programs/list.ts'
import { PRESETS } from '../../programs/presets.ts'

/** A login of a program, as `$GC_HOME/accounts.toml` declares it. */
export interface Account {
  readonly name: string
  /** The built-in provider whose program it is for. */
  readonly provider: string
  /** The folder in which the program keeps its login and settings; undefined for the program's own. */
  readonly home: string | undefined
  /** A file of variables for the program, such as its API key. */
  readonly envFile: string | undefined
  /** Providers whose work it may take when none of their own accounts has quota left. */
  readonly standsInFor: readonly string[]
  /** Offset of its block in the file, for edits. */
  readonly offset: number
}

/** The variables by which a program finds the home of an account. */
export const homeVariables = ({ provider, home }: Pick<Account, 'provider' | 'home'>): Record<string, string> =>
  home === undefined ? {} : { [programOf(provider)?.home?.variable ?? 'HOME']: home }

/** True if a variable of the supervisor's own environment must not reach a program of an account. */
export const isOtherLogin = ({ provider, home, envFile }: Account, variable: string): boolean =>
  (home !== undefined || envFile !== undefined) && (PRESETS.get(provider)?.loginVariables?.test(variable) ?? false)
