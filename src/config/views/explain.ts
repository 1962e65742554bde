import { blankSecrets, isSecretTable } from '../../core/text/index.ts'
import { AGENT, type AgentFields } from '../agents/index.ts'
import type { Composition } from '../compose/index.ts'
import { type Declaration, type FieldOrigin, type FieldOrigins, type FieldSet, qualify } from '../declare/index.ts'
import { PROVIDER, providerChain } from '../providers/index.ts'
import { RIG, type RigConfig } from '../rigs/index.ts'

/** One declared field, and where it was written. Variables are named without their values. */
export interface ExplainedField {
  readonly kind: 'rig' | 'agent' | 'provider'
  readonly name: string
  readonly key: string
  readonly value: unknown
  readonly layer: string
  readonly file: string
  readonly line: number
  /** The section it was written in; empty for the top of a file. */
  readonly section: string
}

/** Every field of the rigs, agents and declared providers of a city, with its origin; defaults have none. */
export function explainFields({ config, declarations }: Composition): ExplainedField[] {
  return [
    ...config.rigs.flatMap((rig) => explainRig(rig)),
    ...declarations.agents.flatMap((agent) => explainAgent(agent)),
    ...[...declarations.providers.keys()].flatMap((name) => explainProvider(name, declarations, config.providers)),
  ]
}

const explainRig = (rig: RigConfig): ExplainedField[] =>
  explain('rig', rig.name, RIG, rig.origins, (field) => {
    if (field === 'sleep') return undefined
    return field === 'land' ? rig.landTable : Reflect.get(rig, field)
  })

const explainAgent = ({ values, origins }: Declaration<AgentFields>): ExplainedField[] =>
  explain('agent', qualify(values.dir, values.name ?? ''), AGENT, origins, (field) => Reflect.get(values, field))

/** A field of a provider is that of the first of its bases that declares it. */
function explainProvider(
  name: string,
  { presets, providers }: Composition['declarations'],
  configs: Composition['config']['providers'],
): ExplainedField[] {
  const links = providerChain(name, configs).flatMap(
    (link) => (link.builtin ? presets : providers).get(link.name) ?? [],
  )
  const ofField = (field: string) => links.find(({ values }) => Reflect.get(values, field) !== undefined)
  const origins = Object.fromEntries(
    Object.keys(PROVIDER).map((field) => [field, Reflect.get(ofField(field)?.origins ?? {}, field)]),
  )
  return explain('provider', name, PROVIDER, origins, (field) => Reflect.get(ofField(field)?.values ?? {}, field))
}

function explain<Values>(
  kind: ExplainedField['kind'],
  name: string,
  fields: FieldSet,
  origins: FieldOrigins<Values>,
  readValue: (field: string) => unknown,
): ExplainedField[] {
  return Object.entries(fields).flatMap(([field, { key }]) => {
    const origin: FieldOrigin | undefined = Reflect.get(origins, field)
    if (!origin) return []
    const { layer, file, section } = origin.block
    const read = readValue(field)
    if (isTable(read)) return explainTable(kind, name, key, read)
    return [
      {
        kind,
        name,
        key,
        value: isSecretTable(key) ? blankSecrets(read, key) : read,
        layer: layer.name,
        file,
        line: origin.line,
        section,
      },
    ]
  })
}

/** The fields of a table under a section, by keys such as `confine.read`. */
function explainTable(
  kind: ExplainedField['kind'],
  name: string,
  prefix: string,
  { fields, values, origins }: Declaration<object>,
): ExplainedField[] {
  const own = explain(kind, name, fields, origins, (field) => Reflect.get(values, field))
  return own.map((field) => ({ ...field, key: `${prefix}.${field.key}` }))
}

const isTable = (value: unknown): value is Declaration<object> =>
  typeof value === 'object' && value !== null && 'block' in value && 'origins' in value
