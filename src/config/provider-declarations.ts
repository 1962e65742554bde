import { AppError } from '../core/errors.ts'
import type { Attempt } from '../core/replays/replays.ts'
import { actorOf } from '../http/actor-of.ts'
import type { Caller } from '../http/caller.ts'
import type { OKResponseBody } from '../http/schema.ts'
import type { CityConfig } from './city-config.ts'
import type { Config } from './config.ts'
import { AGENT_NAME } from './declare/names.ts'
import { IMPLICIT_AGENTS } from './declare/origin.ts'
import { addProvider, changeProvider, type ProviderKeys, removeProvider } from './edit/providers.ts'
import { BUILTINS } from './providers/presets.ts'
import type { ProviderCreate, ProviderCreated, ProviderUpdate } from './providers/schema.ts'

/** The providers that a city declares in city.toml. */
export class ProviderDeclarations {
  constructor(private readonly config: Config) {}

  async create(caller: Caller, { name, ...body }: ProviderCreate, attempt: Attempt): Promise<ProviderCreated> {
    if (!AGENT_NAME.test(name)) {
      const message = `"${name}" cannot name a provider: begin with a letter or digit and go on with those, "-" or "_"`
      throw new AppError('invalid-request', message)
    }
    if (!body.command && body.base === undefined) {
      throw new AppError('invalid-request', 'give a command, or a base to take it from')
    }
    const created: ProviderCreated = { status: 'created', provider: name }
    if (attempt.isRetry && this.config.composition.declarations.providers.has(name)) return created
    await this.config.edit(actorOf(caller), (base) => addProvider(base, name, keysOf(body)), attempt)
    return created
  }

  /** Changes what is given and not null. */
  async change(caller: Caller, name: string, body: ProviderUpdate): Promise<OKResponseBody> {
    await this.config.edit(actorOf(caller), (base) => {
      const { base: own } = base.declarations.providers.get(name)?.values ?? {}
      if (body.command === '' && !(body.base ?? own)) {
        throw new AppError('invalid-request', `provider "${name}" has no base, so that its command cannot be empty`)
      }
      return changeProvider(base, name, keysOf(body))
    })
    return { status: 'updated' }
  }

  /** Takes a declaration out, unless something could not run without it. */
  async remove(caller: Caller, name: string): Promise<OKResponseBody> {
    await this.config.edit(actorOf(caller), (base) => {
      const drafts = removeProvider(base, name)
      if (!BUILTINS.has(name)) requireUnused(base.config, name)
      return drafts
    })
    return { status: 'deleted' }
  }
}

function requireUnused({ agents, workspace, providers }: CityConfig, name: string): void {
  // An agent that exists only because the provider does goes with it.
  const user = agents.find(({ provider, block }) => provider === name && block.layer.name !== IMPLICIT_AGENTS)
  const heir = [...providers].find(([, { base }]) => base === name || base === `provider:${name}`)?.[0]
  const users = [
    ...(workspace.provider === name ? ['the workspace'] : []),
    ...(user ? [`agent "${user.qualified}"`] : []),
    ...(heir ? [`provider "${heir}"`] : []),
  ]
  const [first] = users
  if (first === undefined) return
  const message = `conflict: ${first} uses provider "${name}"; let it use another one first`
  throw new AppError('conflict-wrong-state', message)
}

function keysOf(body: ProviderUpdate): ProviderKeys {
  return Object.fromEntries(Object.entries(body).flatMap(([key, value]) => (value === null ? [] : [[key, value]])))
}
