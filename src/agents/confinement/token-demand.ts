import type { CityConfig } from '../../config/city/index.ts'

/** True if callers have to show who they are, without which confinement means nothing. */
export interface TokenDemand {
  /** False where the operator gave that up. */
  readonly canBeRequired: boolean
  /** Has everybody asked for a token from now on, for this reason; false where the operator gave that up. */
  demand(reason: string): boolean
}

/** Has everybody asked for a token while an agent of a city should be confined, before its first session. */
export class ConfinedAgents {
  #unsubscribe = () => {}

  constructor(
    private readonly name: string,
    private readonly config: {
      readonly current: Pick<CityConfig, 'agents'>
      onChange(listener: () => void): () => void
    },
    private readonly tokenRequirement: TokenDemand,
  ) {}

  start(): void {
    this.#demand()
    this.#unsubscribe = this.config.onChange(() => this.#demand())
  }

  stop(): void {
    this.#unsubscribe()
  }

  #demand(): void {
    const { name, config, tokenRequirement } = this
    const confined = config.current.agents.find(({ confine }) => confine !== 'off')
    if (confined) tokenRequirement.demand(`agent ${confined.qualified} of ${name} runs in a sandbox`)
  }
}
