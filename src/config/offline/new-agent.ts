import { AppError } from '../../core/errors.ts'
import { type AgentDraft, addAgent } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import { readDefaultMode } from '../confinement/index.ts'
import { toInvalidConfigError } from '../files/index.ts'
import { type DeclaredProviders, resolveProvider } from '../providers/index.ts'
import { composeFolder } from './city-composition.ts'
import type { CityDraft } from './create-city.ts'

/** The values of an option of a provider. */
export interface OptionChoices {
  readonly values: readonly { readonly value: string; readonly label: string }[]
  /** The value of agents that declare none. */
  readonly usual: string
}

/** The values that an agent can declare of an option of its provider; undefined where there is no such option. */
export function optionChoices(provider: string, key: string, declared: DeclaredProviders): OptionChoices | undefined {
  try {
    const { optionsSchema, optionDefaults } = resolveProvider(provider, declared)
    const option = optionsSchema.find((each) => each.key === key)
    return option && { values: option.choices, usual: optionDefaults[key] ?? option.default }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The configuration of the city in a folder, read from its files. */
export const readConfig = (path: string, home: string): CityConfig =>
  composeFolder(path, home, { defaultConfine: readDefaultMode(home) }).config

/** The files that would declare a new agent of the city in a folder; throws every error in them. */
export function draftAgent(path: string, home: string, draft: AgentDraft): CityDraft {
  const options = { defaultConfine: readDefaultMode(home) }
  const drafts = addAgent(composeFolder(path, home, options), draft)
  const { config, errors } = composeFolder(path, home, options, drafts)
  if (errors.length > 0) throw toInvalidConfigError(errors, 'invalid-request')
  const texts = [...drafts].flatMap(([file, text]) => (text === undefined ? [] : [[file, text] as const]))
  return { drafts: new Map(texts), config }
}
