import type { Declaration } from '../declare/declaration.ts'
import { PROVIDER } from '../declare/provider.ts'
import { BUILTINS } from '../providers/presets.ts'
import type { ProviderConfig } from '../providers/provider.ts'
import type { Layer } from './layer.ts'
import { mergeDeclarations } from './merge.ts'

/** The providers that gc knows by itself; a declared provider names one as its base. */
export const presets: Layer = {
  name: 'builtin',
  isEditable: false,
  apply: (lower) => mergeDeclarations(lower, { presets: new Map([...BUILTINS].map(declarePreset)) }),
}

function declarePreset([name, values]: [string, ProviderConfig]): [string, Declaration<ProviderConfig>] {
  const section = `[providers.${name}]`
  const block = { layer: presets, file: 'gc', line: 1, section, offset: undefined }
  const origins = Object.fromEntries(
    Object.entries(PROVIDER).flatMap(([field, { key }]) =>
      Object.hasOwn(values, field) ? [[field, { block, line: 1, key }]] : [],
    ),
  )
  return [name, { block, values, origins, fields: PROVIDER }]
}
