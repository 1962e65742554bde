import type { PricingConfig } from '../../city/city-config.ts'
import type { CityDeclarations } from '../../declare/city-declarations.ts'
import { locationOf } from '../../declare/declaration.ts'
import type { Diagnostics } from '../../files/diagnostics.ts'

/** The declared prices; what a price leaves out costs nothing. */
export function resolvePricing({ pricing }: CityDeclarations, diagnostics: Diagnostics): PricingConfig[] {
  return pricing.flatMap((declaration) => {
    const { model, provider, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = declaration.values
    if (model !== undefined) return [{ provider, model, input, output, cacheRead, cacheWrite }]
    diagnostics.warning(locationOf(declaration, 'model'), 'is required; this price is ignored')
    return []
  })
}
