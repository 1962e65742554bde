import type { PromptMode } from '../../programs/program.ts'
import type { AgentConfineFields, ConfineMode, Declaration, DeclaredBlock, FieldOrigins } from '../declare/index.ts'
import type { SkillFolder } from '../packs/index.ts'
import type { PromptTemplate } from '../prompts/index.ts'
import type { AgentFields } from './agent.ts'

/** Files that packs bring into the folders of an agent; the folders need not exist. */
export interface AgentBrings {
  /** Folders whose files are copied; the later ones win. */
  readonly overlays: readonly string[]
  /** The programs whose hooks are installed, beside its own. */
  readonly hooks: readonly string[]
  /** Folders of skills; the first of a name wins. */
  readonly skills: readonly SkillFolder[]
  /** Folders of MCP servers; the later ones win. */
  readonly mcp: readonly string[]
}

/** An agent: what runs, where, with what prompt, and how many of it. */
export interface AgentConfig {
  /** With the binding of its pack, if it has one: `gastown.mayor`. */
  readonly name: string
  /** The same without the binding. */
  readonly localName: string
  /** The name by which the city or its rig imports the pack that it comes from. */
  readonly binding?: string
  /** Reason it cannot start: what is wrong in the pack that it comes from. */
  readonly broken?: string
  /** The rig it belongs to; absent for an agent of the city. */
  readonly dir?: string
  /** `rig/name`, or `name` alone. Unique in the city. */
  readonly qualified: string
  /** The block that declares it. */
  readonly block: DeclaredBlock
  /** Origin of each written field; defaults have none. */
  readonly origins: FieldOrigins<AgentFields>
  readonly description?: string
  readonly scope?: 'city' | 'rig'
  /** Its own, else that of agent_defaults or the workspace; absent when a command stands instead. */
  readonly provider?: string
  readonly startCommand?: string
  readonly args: readonly string[]
  /** Its own variables; those of the workspace and then of its provider lie under them. */
  readonly env: Readonly<Record<string, string>>
  readonly optionDefaults: Readonly<Record<string, string>>
  /** Its folder as written: relative to the city, possibly with `{{…}}`. */
  readonly workDir?: string
  /** True if each of its sessions works in a git worktree of its own. */
  readonly worktree: boolean
  /** Sandbox of its sessions; a pack can only narrow it. `confineTable` is what was written. */
  readonly confine: ConfineMode
  readonly confineTable?: Declaration<AgentConfineFields>
  readonly prompt?: PromptTemplate
  /** The folder of the pack that declares it, or the city's. */
  readonly configDir: string
  readonly brings: AgentBrings
  /** Delivery of the prompt; absent to leave it to the provider. */
  readonly promptMode?: PromptMode
  readonly promptFlag?: string
  /** `acp` or `tmux` when it insists on a transport. */
  readonly session?: string
  readonly lifecycle?: 'one_shot'
  /** `none`: what it does costs nothing, whatever its program reports. */
  readonly cost?: 'none'
  readonly minActive: number
  /** The highest number of its sessions, capped by its rig and the workspace; undefined for no limit. */
  readonly maxActive: number | undefined
  readonly namepool: readonly string[]
  readonly suspended: boolean
  /** Permissions of its sessions beyond working and coordinating, from `needs.ts`. */
  readonly may: readonly string[]
  readonly scaleCheck?: string
  readonly workQuery?: string
  readonly slingQuery?: string
  readonly defaultSlingFormula?: string
  readonly dependsOn: readonly string[]
  readonly wakeMode: 'resume' | 'fresh'
  readonly attach: boolean
  readonly resumeCommand?: string
  readonly onBoot?: string
  readonly onDeath?: string
  readonly preStart: readonly string[]
  readonly sessionSetup: readonly string[]
  readonly sessionSetupScript?: string
  readonly sessionLive: readonly string[]
  readonly drainTimeout: number
  readonly idleTimeout?: number
  readonly sleepAfterIdle?: number
  readonly maxSessionAge?: number
  readonly maxSessionAgeJitter?: number
}
