import type { TObject, TSchema } from '@sinclair/typebox'
import { AgentPatch, PoolOverride, ProviderPatch, RigPatch } from './schema.ts'

type Written = Readonly<Record<string, unknown>>

/** The patches of agents, rigs and providers, as blocks of files write them. */
export const toAgentPatch = (written: Written): AgentPatch =>
  ({ ...recordOf(AgentPatch, written), Pool: recordOf(PoolOverride, tableOf(written.pool)) }) as AgentPatch

export const toRigPatch = (written: Written): RigPatch => recordOf(RigPatch, written) as RigPatch

export const toProviderPatch = (written: Written): ProviderPatch =>
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
