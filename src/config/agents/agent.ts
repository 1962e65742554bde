import { join } from 'node:path'
import { PERMISSIONS } from '../../http/needs.ts'
import {
  agentConfine,
  boolean,
  type Declaration,
  duration,
  durationOrOff,
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
import { PROMPT_MODES } from '../providers/index.ts'

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

/** Declarations of an agent in its own folder. */
export const FOLDER_AGENT = {
  dir: string('dir'),
  description: string('description'),
  scope: oneOf('scope', ['city', 'rig']),
  suspended: boolean('suspended'),
  may: permissions,
  provider: string('provider'),
  startCommand: removableString('start_command'),
  args: strings('args'),
  env: stringMap('env'),
  optionDefaults: stringMap('option_defaults'),
  workDir: string('work_dir'),
  worktree: boolean('worktree'),
  confine: agentConfine,
  promptFile,
  injectFragments: strings('inject_fragments'),
  appendFragments: strings('append_fragments'),
  overlayDir,
  installAgentHooks: strings('install_agent_hooks'),
  promptMode: oneOf('prompt_mode', PROMPT_MODES),
  promptFlag: string('prompt_flag'),
  session: sessionBackend('session'),
  lifecycle: oneOf('lifecycle', ['one_shot']),
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

/** The agents that none of the others hides: one of the same name in the same rig. */
export function withoutAgents(
  agents: readonly Declaration<AgentFields>[],
  hiding: readonly Declaration<AgentFields>[],
): readonly Declaration<AgentFields>[] {
  const names = new Set(hiding.map(({ values }) => qualify(values.dir, values.name ?? '')))
  return agents.filter(({ values }) => !names.has(qualify(values.dir, values.name ?? '')))
}
