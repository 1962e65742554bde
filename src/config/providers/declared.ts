import { errorMessage } from '../../core/errors.ts'
import { type Declaration, locationOf } from '../declare/index.ts'
import type { Diagnostics } from '../files/index.ts'
import type { ProviderConfig } from './config.ts'
import { resolveProvider } from './resolve.ts'

/** The declared providers, each as far as it was written; its bases are merged in where it is used. */
export function resolveProviders(
  declared: ReadonlyMap<string, Declaration<ProviderConfig>>,
  diagnostics: Diagnostics,
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map([...declared].map(([name, declaration]) => [name, withPacks(declaration)]))
  for (const [name, declaration] of declared) {
    const { file, line, section } = declaration.block
    if (name.includes(':')) {
      const message = 'a name with ":" cannot be told from a base such as builtin:claude'
      diagnostics.warning({ file, line, key: section }, message)
    }
    try {
      resolveProvider(name, providers)
    } catch (error) {
      const field = declaration.values.base === undefined ? 'command' : 'base'
      diagnostics.error(locationOf(declaration, field), errorMessage(error))
    }
  }
  return providers
}

/** Applies a pack's statements on a provider to its sessions, without exceeding the city's permissions. */
function withPacks({ values, block, origins }: Declaration<ProviderConfig>): ProviderConfig {
  const packs = [block.pack, origins.env?.block.pack].flatMap((pack) => pack?.name ?? [])
  return packs.length > 0 ? { ...values, packs } : values
}
