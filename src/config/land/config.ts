import type { GeneratedFiles, LandHold, LandMode, LandStrategy } from './fields.ts'

/** `[rigs.land]`: how finished branches of a rig get onto its target. Durations are milliseconds. */
export interface LandConfig {
  readonly mode: LandMode
  /** The branch that changes end up in; absent for the rig's default branch, else that of the remote. */
  readonly target?: string
  readonly remote: string
  /** The command whose exit says whether a candidate is good; absent where nothing is checked. */
  readonly check?: readonly string[]
  readonly checkTimeout: number
  /** Maximum branches that are checked together. */
  readonly batch: number
  /** True if a red check is run again before it blames a branch. */
  readonly confirmRed: boolean
  readonly strategy: LandStrategy
  /** True if branches are checked while they wait for approval. */
  readonly checkEarly: boolean
  /** Maximum concurrent checks. */
  readonly parallel: number
  readonly generated: readonly GeneratedFiles[]
  /** Paths whose change waits for a person. */
  readonly protectedPaths: readonly string[]
  readonly hold: LandHold
  /** Maximum attempts of an owner at a conflict or a red check. */
  readonly tries: number
  /** The time of an owner to resolve a conflict before the next one gets a turn. */
  readonly turnTimeout: number
  /** True if the branch of a landed change is deleted at the remote. */
  readonly deleteBranch: boolean
  readonly sign: boolean
  readonly pr: LandPrConfig
  readonly auto?: LandAutoConfig
  readonly forge?: LandForgeConfig
}

/** `[rigs.land.pr]`. */
export interface LandPrConfig {
  readonly labels: readonly string[]
  readonly draft: boolean
}

/** `[rigs.land.auto]`: what lands without a person. */
export interface LandAutoConfig {
  readonly check: 'green'
  readonly maxLines?: number
  /** The only paths that such a change touches; absent for all. */
  readonly paths?: readonly string[]
}

/** `[rigs.land.forge]`. */
export interface LandForgeConfig {
  readonly kind: 'github' | 'gitea'
  /** The address of its pages, without a slash at the end. */
  readonly url: string
  /** `owner/name`. */
  readonly repository: string
}
