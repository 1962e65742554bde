import type { TObject, TSchema } from '@sinclair/typebox'
import { AppError } from '../../core/errors.ts'
import { restoreSecrets } from '../../core/text/index.ts'
import type { TomlPairs } from '../../core/toml/index.ts'
import { answering } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Config } from '../compose/index.ts'
import { qualify } from '../declare/index.ts'
import { CITY_FILE } from '../files/index.ts'
import { type PatchKind, patchesFor, patchNotFound, putPatch, removePatch } from './edit.ts'
import {
  AgentPatch,
  type AgentPatchSet,
  type PatchDeleted,
  type PatchSaved,
  PoolOverride,
  ProviderPatch,
  type ProviderPatchSet,
  RigPatch,
  type RigPatchSet,
} from './schema.ts'

/** The key under which a response names what was patched. */
const NAMED = { agent: 'agent_patch', rigs: 'rig_patch', providers: 'provider_patch' } as const

/** The patches of agents, rigs and providers: blocks of city.toml, and of pack.toml for those of agents. */
export class Patches {
  constructor(private readonly config: Config) {}

  agents() {
    return listed(this.#patches.agents.map(({ values }) => toAgentPatch(values.written ?? {})))
  }

  rigs() {
    return listed(this.#patches.rigs.map(({ values }) => toRigPatch(values.written ?? {})))
  }

  providers() {
    return listed(this.#patches.providers.map(({ values }) => toProviderPatch(values.written ?? {})))
  }

  agent(name: string): AgentPatch {
    return toAgentPatch(this.#written('agent', name))
  }

  rig(name: string): RigPatch {
    return toRigPatch(this.#written('rigs', name))
  }

  provider(name: string): ProviderPatch {
    return toProviderPatch(this.#written('providers', name))
  }

  putAgent(caller: Caller, { name, dir, ...keys }: AgentPatchSet, force: boolean): Promise<PatchSaved> {
    return this.#put(
      caller,
      'agent',
      qualify(dir || undefined, required(name)),
      { name, dir: dir || undefined, ...keys },
      force,
    )
  }

  putRig(caller: Caller, body: RigPatchSet, force: boolean): Promise<PatchSaved> {
    return this.#put(caller, 'rigs', required(body.name), body, force)
  }

  putProvider(caller: Caller, { args, acp_args, ...body }: ProviderPatchSet, force: boolean): Promise<PatchSaved> {
    const lists = { args: args ?? undefined, acp_args: acp_args ?? undefined }
    return this.#put(caller, 'providers', required(body.name), { ...body, ...lists }, force)
  }

  async remove(caller: Caller, kind: PatchKind, name: string, force: boolean): Promise<PatchDeleted> {
    const deleted = { status: 'deleted', [NAMED[kind]]: name }
    await this.config.remove(answering(caller, deleted), (base) => removePatch(base, { kind, name }, force))
    return deleted
  }

  async #put(caller: Caller, kind: PatchKind, name: string, keys: Keys, force: boolean): Promise<PatchSaved> {
    const saved = { status: 'ok', [NAMED[kind]]: name }
    await this.config.edit(answering(caller, saved), (base) => {
      const last = patchesFor(base.declarations, { kind, name }).at(-1)
      const written = last?.values.written
      const restored = restoreSecrets(keys, written, (value) => this.config.secrets.blank(value))
      const pairs: TomlPairs = Object.entries(restored).filter(([, value]) => value !== undefined)
      const isSame = last?.block.file === CITY_FILE && Bun.deepEquals(Object.fromEntries(pairs), written)
      const drafts = putPatch(base, { kind, name, pairs }, force)
      return isSame ? new Map() : drafts
    })
    return saved
  }

  /** The last patch for a thing, which is the one that holds where several say something. */
  #written(kind: PatchKind, name: string): Readonly<Record<string, unknown>> {
    const patch = patchesFor(this.config.composition.declarations, { kind, name }).at(-1)
    if (!patch) throw patchNotFound({ kind, name })
    return patch.values.written ?? {}
  }

  get #patches() {
    return this.config.composition.declarations.patches
  }
}

type Keys = Readonly<Record<string, TomlPairs[number][1]>>

const listed = <Item>(items: Item[]) => ({ items, total: items.length })

function required(name: string | undefined): string {
  if (!name) throw new AppError('invalid-request', 'name is required: what the patch is for')
  return name
}

type Written = Readonly<Record<string, unknown>>

/** The patches of agents, rigs and providers, as blocks of files write them. */
const toAgentPatch = (written: Written): AgentPatch =>
  ({ ...recordOf(AgentPatch, written), Pool: recordOf(PoolOverride, tableOf(written.pool)) }) as AgentPatch

const toRigPatch = (written: Written): RigPatch => recordOf(RigPatch, written) as RigPatch

const toProviderPatch = (written: Written): ProviderPatch =>
  ({ ...recordOf(ProviderPatch, written), Replace: written._replace === true }) as ProviderPatch

/** Every field of a shape: what the block says under the field's key, else nothing. */
function recordOf({ properties }: TObject, written: Written): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([field, shape]) => [field, fieldOf(field, shape, written)]))
}

function fieldOf(field: string, shape: TSchema, written: Written): unknown {
  const value = written[keyOf(field)]
  if (shape.type === 'object') return stringsOf(value)
  if (shape.type === 'string') return typeof value === 'string' ? value : ''
  const types: TSchema[] = shape.anyOf ?? []
  return types.some((type) => isOf(type, value)) ? value : null
}

/** `ReadyDelayMs` is `ready_delay_ms`. */
const keyOf = (field: string): string =>
  field.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toLowerCase()

function isOf({ type }: TSchema, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value) && value.every((item) => typeof item === 'string')
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

const tableOf = (value: unknown): Written =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Written) : {}

const stringsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(tableOf(value)).map(([name, text]) => [name, String(text)]))
