import type { ProviderOption } from '../../programs/parts/index.ts'
import type { PromptMode, ProviderPreset } from '../../programs/program.ts'
import type { ConfineFields, Declaration } from '../declare/index.ts'

export const PROMPT_MODES: readonly PromptMode[] = ['arg', 'flag', 'none']

/** A provider as it is declared: the keys of `[providers.<name>]`, or one of ours. What is absent comes from its base. */
export interface ProviderConfig extends ProviderPreset {
  /** `builtin:<name>`, `provider:<name>`, a bare name (a declared one first), or '' to stand alone. */
  base?: string
  argsAppend?: string[]
  /** Maximum time it may take from its start until it works, in milliseconds. */
  startupTimeout?: number
  /** Another program to look for on the PATH instead of `command`. */
  pathCheck?: string
  /** A whole command for resuming, with `{{.SessionKey}}` where the conversation's key goes. */
  resumeCommand?: string
  optionsSchemaMerge?: 'replace' | 'by_key'
  /** Permissions of its sessions beyond those of every sandbox. */
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
