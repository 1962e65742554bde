import type { CityDeclarations } from './city-declarations.ts'
import { qualify } from './names.ts'

/** The agents that none of the others hides: one of the same name in the same rig. */
export function withoutAgents(
  agents: CityDeclarations['agents'],
  hiding: CityDeclarations['agents'],
): CityDeclarations['agents'] {
  const names = new Set(hiding.map(({ values }) => qualify(values.dir, values.name ?? '')))
  return agents.filter(({ values }) => !names.has(qualify(values.dir, values.name ?? '')))
}

/** The prices of models that the others do not give. */
export function withoutPrices(
  prices: CityDeclarations['pricing'],
  hiding: CityDeclarations['pricing'],
): CityDeclarations['pricing'] {
  const keyOf = ({ values }: CityDeclarations['pricing'][number]) => `${values.provider ?? ''}/${values.model ?? ''}`
  const keys = new Set(hiding.map(keyOf))
  return prices.filter((price) => !keys.has(keyOf(price)))
}
