import { AppError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { rejectMarkers, restoreSecrets, SECRET_MARKER } from '../../core/text/index.ts'
import { answering } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { BUILTINS } from '../../programs/presets.ts'
import type { CityConfig } from '../city/index.ts'
import type { Composition, Config } from '../compose/index.ts'
import { AGENT_NAME, IMPLICIT_AGENTS } from '../declare/index.ts'
import {
  addProvider,
  changeProvider,
  PROVIDER,
  type ProviderConfig,
  type ProviderKeys,
  removeProvider,
} from '../providers/index.ts'
import type { ProviderCreate, ProviderCreated, ProviderUpdate } from './schema.ts'

/** The providers that a city declares in city.toml. */
export class ProviderDeclarations {
  constructor(private readonly config: Config) {}

  async create(caller: Caller, { name, ...body }: ProviderCreate): Promise<ProviderCreated> {
    if (!AGENT_NAME.test(name)) {
      const message = `"${name}" cannot name a provider: start with a letter or digit and use only letters, digits, "-" or "_"`
      throw new AppError('invalid-request', message)
    }
    rejectMarkers(body)
    if (!body.command && body.base === undefined) {
      throw new AppError('invalid-request', 'give a command, or a base to take it from')
    }
    const created: ProviderCreated = { status: 'created', provider: name }
    const by = answering(caller, created)
    if (caller.request?.isRetry && this.config.composition.declarations.providers.has(name))
      await this.config.recordAgain(by, [])
    else await this.config.edit(by, (base) => addProvider(base, name, keysOf(body)))
    return created
  }

  /** Changes what is given and not null. */
  async change(caller: Caller, name: string, body: ProviderUpdate): Promise<OKResponseBody> {
    const updated = { status: 'updated' }
    await this.config.edit(answering(caller, updated), (base) => {
      const { base: own } = base.declarations.providers.get(name)?.values ?? {}
      if (body.command === '' && !(body.base ?? own)) {
        throw new AppError('invalid-request', `provider "${name}" has no base, so that its command cannot be empty`)
      }
      return changeProvider(base, name, this.#changes(base, name, keysOf(body)))
    })
    return updated
  }

  /** Differences from the declaration, without secrets that were sent back masked. */
  #changes({ declarations, config }: Composition, name: string, keys: ProviderKeys): ProviderKeys {
    const declared = tomlOf(declarations.providers.get(name)?.values)
    const effective = tomlOf(config.providers.get(name))
    const restored = restoreSecrets(keys, effective, (value) => this.config.secrets.blank(value))
    return changesOf(keys, restored, { declared, effective })
  }

  /** Takes a declaration out, unless something could not run without it. */
  async remove(caller: Caller, name: string): Promise<OKResponseBody> {
    const deleted = { status: 'deleted' }
    await this.config.remove(answering(caller, deleted), (base) => {
      const drafts = removeProvider(base, name)
      if (!BUILTINS.has(name)) requireUnused(base.config, name)
      return drafts
    })
    return deleted
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

type Values = Readonly<Record<string, unknown>>

/** The fields of a provider by their keys in a file. */
const tomlOf = (values: Partial<ProviderConfig> = {}): Values =>
  Object.fromEntries(Object.entries(PROVIDER).map(([field, { key }]) => [key, Reflect.get(values, field)]))

/** The keys, and of tables the entries, that differ from what is declared. */
function changesOf<Keys extends Values>(given: Values, restored: Keys, stored: Stored): Keys {
  const changes = Object.entries(restored).flatMap(([key, value]) => {
    const of = { declared: stored.declared[key], effective: stored.effective[key] }
    if (isObject(value) && isObject(of.declared)) {
      const entries = changesOf(Object(given[key]), value, { declared: of.declared, effective: Object(of.effective) })
      return Object.keys(entries).length > 0 ? [[key, entries]] : []
    }
    const isShown = String(JSON.stringify(given[key])).includes(SECRET_MARKER) && Bun.deepEquals(value, of.effective)
    return isShown || Bun.deepEquals(value, of.declared) ? [] : [[key, value]]
  })
  return Object.fromEntries(changes)
}

interface Stored {
  readonly declared: Values
  /** With what patches change. */
  readonly effective: Values
}
