import { errorMessage } from '../../core/errors.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import type { ProviderConfig } from '../providers/provider.ts'
import { resolveProvider } from '../providers/resolve.ts'

/** The declared providers, each as far as it was written; its bases are merged in where it is used. */
export function resolveProviders(
  { providers: declared }: CityDeclarations,
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

/** What a pack says of a provider holds for its sessions, but does not lead them to what the city did not allow. */
function withPacks({ values, block, origins }: Declaration<ProviderConfig>): ProviderConfig {
  const packs = [block.pack, origins.env?.block.pack].flatMap((pack) => pack?.name ?? [])
  return packs.length > 0 ? { ...values, packs } : values
}
