import { errorMessage } from '../../core/errors.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { locationOf } from '../declare/declaration.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import type { ProviderConfig } from '../providers/provider.ts'
import { resolveProvider } from '../providers/resolve.ts'

/** The declared providers, each as far as it was written; its bases are merged in where it is used. */
export function resolveProviders(
  { providers: declared }: CityDeclarations,
  diagnostics: Diagnostics,
): ReadonlyMap<string, ProviderConfig> {
  const providers = new Map([...declared].map(([name, { values }]) => [name, values]))
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
