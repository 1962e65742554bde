import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { errorMessage } from '../core/errors.ts'

export interface TokenRequirementOptions {
  /** Operator's choice at the start of the supervisor; undefined without one. */
  wanted: boolean | undefined
  /** Says, while it is there, that confined programs may run whose supervisor has ended. */
  mark: string
  report(message: string): void
}

/**
 * True if requests without a token are refused. Confined sessions imply it, since a program that leaves its token out
 * would be taken for a person; from then on it holds as long as the supervisor runs, and in the next one while programs
 * run on.
 */
export class TokenRequirement {
  #isRequired: boolean

  constructor(private readonly options: TokenRequirementOptions) {
    const mayRun = existsSync(options.mark)
    this.#isRequired = options.wanted ?? mayRun
    if (options.wanted === false && mayRun)
      options.report('confined programs that run on are taken for people, since no token is required: end them')
  }

  get isRequired(): boolean {
    return this.#isRequired
  }

  /** True if it may be implied: the operator can give that up. */
  get canBeRequired(): boolean {
    return this.options.wanted !== false
  }

  /** Refuses requests without a token from now on, for this reason; false where the operator gave that up. */
  demand(reason: string): boolean {
    const { wanted, mark, report } = this.options
    if (wanted === false) return false
    if (!existsSync(mark)) writeFileSync(mark, '', { mode: 0o600 })
    if (this.#isRequired) return true
    this.#isRequired = true
    report(
      `every request needs a token from now on, because ${reason}; yours is in $GC_HOME/token, and gc sends it automatically`,
    )
    return true
  }

  /** No program runs on from an earlier supervisor: confinement has to imply it again. */
  forget(): void {
    const { wanted, mark, report } = this.options
    try {
      rmSync(mark, { force: true })
      this.#isRequired = wanted ?? false
    } catch (error) {
      report(`${mark} could not be removed, so every request still needs a token: ${errorMessage(error)}`)
    }
  }
}
