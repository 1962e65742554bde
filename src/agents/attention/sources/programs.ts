import type { AgentConfig } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { Deadline } from '../../../core/deadlines.ts'
import { sha256 } from '../../../core/digest.ts'
import { Signal, unsubscriber } from '../../../core/signal.ts'
import type { Inspector } from '../../../programs/parts/index.ts'
import type { Obstacle } from '../../../programs/program.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import { protocolObstacle } from '../../readiness/index.ts'

/** Programs are looked at again so often while one has an obstacle, and after sessions started. */
const AGAIN_MS = 60_000

/** Programs that cannot reach gc from where they run commands, or that ask about gc's own protocol all the same. */
export class ProgramAttention implements AttentionSource {
  readonly name = 'programs'
  readonly #changed = new Signal()
  #items: readonly AttentionEntry[] | undefined
  #looking: Promise<void> | undefined
  #isStale = false
  #again: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly config: { readonly current: CityConfig; onChange(listener: () => void): () => void },
    private readonly launchPlanner: Pick<LaunchPlanner, 'providerOf' | 'rigPath'>,
    private readonly inspector: Inspector & { close(): void },
  ) {}

  items(): readonly AttentionEntry[] | undefined {
    return this.#items
  }

  onChange(listener: () => void): () => void {
    const { log } = this.context
    const { config } = this
    this.#look()
    return unsubscriber(
      () => this.#again?.cancel(),
      () => this.inspector.close(),
      this.#changed.listen(listener),
      config.onChange(() => this.#look()),
      log.subscribe(({ type }) => {
        if (type === 'session.woke') this.#lookLater()
      }),
    )
  }

  #lookLater(): void {
    this.#again ??= this.context.deadlines.after(AGAIN_MS, () => {
      this.#again = undefined
      this.#look()
    })
  }

  /** Looks at all programs, once more when the configuration changed. */
  #look(): void {
    this.#isStale = this.#looking !== undefined
    this.#looking ??= this.#find().finally(() => {
      this.#looking = undefined
      if (this.#isStale) this.#look()
    })
  }

  async #find(): Promise<void> {
    const { config, launchPlanner } = this
    const inspector = runningOnce(this.inspector)
    const found = new Map<string, { obstacle: Obstacle; provider: string; agents: AgentConfig[] }>()
    for (const agent of config.current.agents) {
      const provider = this.#providerOf(agent)
      if (!provider) continue
      const folder = launchPlanner.rigPath(agent.dir)
      const obstacle = await protocolObstacle(agent, provider, folder, inspector).catch(() => undefined)
      if (!obstacle) continue
      const key = `${provider.name} ${obstacle.reason}`
      const { agents = [] } = found.get(key) ?? {}
      found.set(key, { obstacle, provider: provider.name, agents: [...agents, agent] })
    }
    this.#items = [...found].map(
      ([
        key,
        {
          obstacle: { reason, fix },
          provider,
          agents,
        },
      ]) => ({
        ...{ id: `program:${provider}:${sha256(key).slice(0, 8)}`, kind: 'program', to_do: fix },
        ...{
          agent: agents[0]?.qualified ?? '',
          asks: `${reason} (${agents.map((each) => each.qualified).join(', ')}).`,
        },
      }),
    )
    if (found.size > 0 && this.#changed.hasListeners) this.#lookLater()
    this.#changed.emit()
  }

  #providerOf(agent: AgentConfig) {
    try {
      return this.launchPlanner.providerOf(agent)
    } catch {
      return undefined
    }
  }
}

/** Many agents run one program: each command is run once for all of them. */
function runningOnce(inspector: Inspector): Inspector {
  const results = new Map<string, ReturnType<Inspector['run']>>()
  return {
    env: inspector.env,
    home: inspector.home,
    readFile: (path) => inspector.readFile(path),
    readJson: (path) => inspector.readJson(path),
    listFolder: (path) => inspector.listFolder(path),
    run(command) {
      const key = JSON.stringify(command)
      const result = results.get(key) ?? inspector.run(command)
      results.set(key, result)
      return result
    },
  }
}
