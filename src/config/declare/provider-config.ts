import type { ConfineFields } from './confine.ts'
import type { Declaration } from './declaration.ts'

/** How a program takes its first prompt: as an argument, after a flag, or typed into its terminal. */
export type PromptMode = 'arg' | 'flag' | 'none'
export const PROMPT_MODES: readonly PromptMode[] = ['arg', 'flag', 'none']

/** One value of an option, and the arguments that choosing it adds. The arguments never reach the wire. */
export interface OptionChoice {
  value: string
  label: string
  flagArgs: string[]
}

/** Something a person may choose about a provider, such as its model. */
export interface ProviderOption {
  key: string
  label: string
  type: 'select'
  default: string
  choices: OptionChoice[]
  /** In a declaration with `optionsSchemaMerge = "by_key"`: takes the base's option of this key away. */
  omit?: boolean
}

/** A provider as it is declared: the keys of `[providers.<name>]`, or one of ours. What is absent comes from its base. */
export interface ProviderConfig {
  /** `builtin:<name>`, `provider:<name>`, a bare name (a declared one first), or '' to stand alone. */
  base?: string
  displayName?: string
  command?: string
  args?: string[]
  argsAppend?: string[]
  promptMode?: PromptMode
  promptFlag?: string
  /** The file in which its program looks for instructions. */
  instructionsFile?: string
  readyDelayMs?: number
  readyPromptPrefix?: string
  /** How long it may take from its start until it works, in milliseconds. */
  startupTimeout?: number
  env?: Record<string, string>
  /** Another program to look for on the PATH instead of `command`. */
  pathCheck?: string
  supportsAcp?: boolean
  acpCommand?: string
  acpArgs?: string[]
  resumeFlag?: string
  /** A whole command for resuming, with `{{.SessionKey}}` where the conversation's key goes. */
  resumeCommand?: string
  optionDefaults?: Record<string, string>
  optionsSchema?: ProviderOption[]
  optionsSchemaMerge?: 'replace' | 'by_key'
  /** What its sessions may do besides what every confined one may. */
  confine?: Declaration<ConfineFields>
  /** The packs that declare it, or its environment. */
  packs?: readonly string[]
}

/** The providers that a city declares, by name. */
export type DeclaredProviders = ReadonlyMap<string, ProviderConfig>

/** A provider with its bases merged in, ready to be launched. */
export interface Provider extends Omit<ProviderConfig, 'base' | 'argsAppend' | 'optionsSchemaMerge'> {
  name: string
  /** The builtin at the root of its bases; it decides where transcripts lie and how its screen is read. */
  ancestor: string | undefined
  command: string
  args: string[]
  promptMode: PromptMode
  env: Record<string, string>
  optionDefaults: Record<string, string>
  optionsSchema: ProviderOption[]
}
