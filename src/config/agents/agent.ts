import { join } from 'node:path'
import { PERMISSIONS } from '../../http/needs.ts'
import {
  type AgentConfineFields,
  agentConfine,
  boolean,
  type ConfineMode,
  type Declaration,
  type DeclaredBlock,
  duration,
  durationOrOff,
  type FieldOrigins,
  type FieldReader,
  integer,
  oneOf,
  qualify,
  removableString,
  requiredString,
  type SectionReader,
  sessionBackend,
  string,
  stringMap,
  strings,
  type ValuesOf,
} from '../declare/index.ts'
import type { SkillFolder } from '../packs/index.ts'
import type { PromptTemplate } from '../prompts/index.ts'
import { PROMPT_MODES } from '../providers/index.ts'

const MINUTE = 60_000

/** A pool is listed by its slots; more than a machine could run are a typing error. */
const MAX_SESSIONS = 1000

/** Permissions of its sessions beyond working and coordinating. */
const permissions: FieldReader<string[]> = {
  key: 'may',
  read(section) {
    const declared = section.strings('may')
    for (const permission of declared ?? []) {
      if (PERMISSIONS.some((listed) => listed === permission)) continue
      section.error('may', `"${permission}" is not one of ${PERMISSIONS.join(', ')}`)
    }
    return declared
  },
}

/** The names of a pool's sessions: a list, or a file with one on each line. */
const namepool: FieldReader<readonly string[] | { readonly file: string }> = {
  key: 'namepool',
  read(section) {
    if (section.node('namepool')?.kind === 'array') return section.strings('namepool')
    const path = section.string('namepool')
    return path === undefined ? undefined : { file: fileBeside(section, path) }
  },
}

const promptFile: FieldReader<string> = {
  key: 'prompt_template',
  read(section) {
    const path = section.string('prompt_template')
    return path === undefined ? undefined : fileBeside(section, path)
  },
}

const overlayDir: FieldReader<string> = {
  key: 'overlay_dir',
  read(section) {
    const path = section.string('overlay_dir')
    return path === undefined ? undefined : fileBeside(section, path)
  },
}

/** A file of a pack that the agent's own pack imports: `<pack>//<path>`. */
export const PACK_PATH = /^([A-Za-z0-9][\w.-]*)\/\/(.+)$/

/**
 * A path is relative to the folder of its file, or of its pack; to the city when it begins with `//`; and one of an
 * imported pack when it begins with that pack's name and `//`.
 */
function fileBeside({ base }: SectionReader, path: string): string {
  if (path.startsWith('//')) return path.slice(2)
  if (PACK_PATH.test(path)) return path
  return join(path.startsWith('/') ? '' : base, path)
}

/** Keys of an agent in its own folder. Each is a field of `AgentConfig` by its name, unless `Replaced` lists it. */
export const FOLDER_AGENT = {
  /** The rig it belongs to; absent for an agent of the city. */
  dir: string('dir'),
  description: string('description'),
  scope: oneOf('scope', ['city', 'rig']),
  suspended: boolean('suspended'),
  may: permissions,
  /** Its own, else that of agent_defaults or the workspace; absent when a command stands instead. */
  provider: string('provider'),
  startCommand: removableString('start_command'),
  args: strings('args'),
  /** Its own variables; those of the workspace and then of its provider lie under them. */
  env: stringMap('env'),
  optionDefaults: stringMap('option_defaults'),
  /** Its folder as written: relative to the city, possibly with `{{…}}`. */
  workDir: string('work_dir'),
  /** True if each of its sessions works in a git worktree of its own. */
  worktree: boolean('worktree'),
  confine: agentConfine,
  promptFile,
  injectFragments: strings('inject_fragments'),
  appendFragments: strings('append_fragments'),
  overlayDir,
  installAgentHooks: strings('install_agent_hooks'),
  /** Delivery of the prompt; absent to leave it to the provider. */
  promptMode: oneOf('prompt_mode', PROMPT_MODES),
  promptFlag: string('prompt_flag'),
  /** `acp` or `tmux` when it insists on a transport. */
  session: sessionBackend('session'),
  lifecycle: oneOf('lifecycle', ['one_shot']),
  /** `none`: what it does costs nothing, whatever its program reports. */
  cost: oneOf('cost', ['none']),
  minActive: integer('min_active_sessions', { min: 0, max: MAX_SESSIONS }),
  maxActive: integer('max_active_sessions', { min: -1, max: MAX_SESSIONS }),
  namepool,
  scaleCheck: string('scale_check'),
  workQuery: string('work_query'),
  slingQuery: string('sling_query'),
  defaultSlingFormula: string('default_sling_formula'),
  dependsOn: strings('depends_on'),
  wakeMode: oneOf('wake_mode', ['resume', 'fresh']),
  attach: boolean('attach'),
  resumeCommand: string('resume_command'),
  onBoot: string('on_boot'),
  onDeath: string('on_death'),
  preStart: strings('pre_start'),
  sessionSetup: strings('session_setup'),
  sessionSetupScript: string('session_setup_script'),
  sessionLive: strings('session_live'),
  drainTimeout: duration('drain_timeout'),
  idleTimeout: duration('idle_timeout'),
  sleepAfterIdle: durationOrOff('sleep_after_idle'),
  maxSessionAge: duration('max_session_age'),
  maxSessionAgeJitter: duration('max_session_age_jitter'),
}

/** `[[agent]]`, which is named by a key of its own. */
export const AGENT = { name: requiredString('name'), ...FOLDER_AGENT }
export type AgentFields = ValuesOf<typeof AGENT>

/** Values of an agent that declares no others. */
export const AGENT_VALUES = {
  suspended: false,
  may: [],
  args: [],
  env: {},
  optionDefaults: {},
  worktree: false,
  minActive: 0,
  dependsOn: [],
  wakeMode: 'resume',
  attach: true,
  preStart: [],
  sessionSetup: [],
  sessionLive: [],
  drainTimeout: 5 * MINUTE,
} satisfies Partial<AgentFields>

/** Keys that are resolved to something else: to files, folders, or limits. */
type Replaced =
  | 'name'
  | 'confine'
  | 'promptFile'
  | 'injectFragments'
  | 'appendFragments'
  | 'overlayDir'
  | 'installAgentHooks'
  | 'maxActive'
  | 'namepool'
  | 'sleepAfterIdle'

type Usual = keyof typeof AGENT_VALUES

/** The keys of an agent with their usual values. */
type AgentValues = Readonly<Partial<Omit<AgentFields, Replaced | Usual>> & Pick<AgentFields, Usual>>

/** An agent: what runs, where, with what prompt, and how many of it. */
export interface AgentConfig extends AgentValues {
  /** With the binding of its pack, if it has one: `gastown.mayor`. */
  readonly name: string
  /** The same without the binding. */
  readonly localName: string
  /** The name by which the city or its rig imports the pack that it comes from. */
  readonly binding?: string
  /** Reason it cannot start: what is wrong in the pack that it comes from. */
  readonly broken?: string
  /** `rig/name`, or `name` alone. Unique in the city. */
  readonly qualified: string
  /** The block that declares it. */
  readonly block: DeclaredBlock
  /** Origin of each written field; defaults have none. */
  readonly origins: FieldOrigins<AgentFields>
  /** Sandbox of its sessions; a pack can only narrow it. `confineTable` is what was written. */
  readonly confine: ConfineMode
  readonly confineTable?: Declaration<AgentConfineFields>
  readonly prompt?: PromptTemplate
  /** The folder of the pack that declares it, or the city's. */
  readonly configDir: string
  readonly brings: AgentBrings
  /** The highest number of its sessions, capped by its rig and the workspace; undefined for no limit. */
  readonly maxActive: number | undefined
  readonly namepool: readonly string[]
  readonly sleepAfterIdle?: number
}

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

/** The agents that none of the others hides: one of the same name in the same rig. */
export function withoutAgents(
  agents: readonly Declaration<AgentFields>[],
  hiding: readonly Declaration<AgentFields>[],
): readonly Declaration<AgentFields>[] {
  const names = new Set(hiding.map(({ values }) => qualify(values.dir, values.name ?? '')))
  return agents.filter(({ values }) => !names.has(qualify(values.dir, values.name ?? '')))
}
