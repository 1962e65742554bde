/** Reason a key has no effect; with the values that say what gc does anyway, if there are any. */
type Reason = string | { readonly sentence: string; readonly unless: readonly string[] }
type Section = Readonly<Record<string, Reason>>

const PACKS =
  'is an older form that is not read: write [imports.<name>] with source = "<source>//<path>" and version instead'
const HOOKS = 'has no effect: install_agent_hooks names the programs whose hooks are installed; others are NOT applied'
const UPSTREAM = 'upstreams are not used yet: the program keeps its own endpoint and credentials'
const TOMBSTONE = 'has no effect, here or elsewhere; take it out'
const WEBHOOK = 'has no effect: declare a [[webhook]] for what GitHub itself delivers'
const STORAGE = 'has no effect: all work is kept in this city’s own database'
const TERMINAL = 'has no effect: gc runs terminals itself, without tmux'
const SCREEN = 'has no effect: gc reads the state of a program from its screen'
const NUDGE = 'has no effect: gc types a message as soon as the program takes input'

/**
 * The keys that cities use and that have no effect in gc, each with its message. Giving a key its effect means taking
 * its line out. A section goes by its header; `providers` stands for each table under it.
 */
const WITHOUT_EFFECT: Readonly<Record<string, Section>> = {
  '': {
    packs: PACKS,
    upstreams: UPSTREAM,
    storage: STORAGE,
    beads: STORAGE,
    dolt: STORAGE,
    maintenance: 'has no effect: there is no Dolt database to maintain',
    formulas: 'has no effect: the formulas of a city are the files of its folder formulas',
    api: 'has no effect: `gc serve` decides where the API listens and who may write; no protection in here is applied',
    convergence: 'has no effect: gc has no convergence loops; the limits in here are NOT applied',
    doctor: 'has no effect: a check is a folder in doctor/; `gc doctor --check-timeout` bounds each',
  },
  'pack-file': {
    upstreams: UPSTREAM,
    runtimes: 'sessions are not run by programs of packs yet',
  },
  'github.pr_monitor': {
    merge_queue: {
      sentence:
        'is NOT applied: gc does nothing about merge queues, like "observe" and "ignore"; a [[webhook]] receives events of GitHub about them',
      unless: ['observe', 'ignore'],
    },
    webhook_secret_env: WEBHOOK,
    webhook_secret_key: WEBHOOK,
  },
  workspace: {
    session_template: 'is shown and has no effect: sessions are named after their agents',
  },
  rigs: {
    dolt_host: STORAGE,
    dolt_port: STORAGE,
  },
  agent: {
    upstream: UPSTREAM,
    work_query: 'is given to prompts and never run: `gc hook` finds the work itself',
    nudge: 'has no effect: the first prompt says what to do',
    tmux_alias: TERMINAL,
    mouse_mode: TERMINAL,
    install_hooks: HOOKS,
    hooks_installed: HOOKS,
    skills_append: TOMBSTONE,
    mcp_append: TOMBSTONE,
    inject_assigned_skills: 'has no effect: every skill that reaches an agent is a link in its project',
    skills: TOMBSTONE,
    mcp: TOMBSTONE,
    fallback: TOMBSTONE,
    assigned_work_defer_limit: 'has no effect: this limit is NOT applied',
    process_names: SCREEN,
    ready_delay_ms: 'has no effect on an agent: declare it on its provider',
    ready_prompt_prefix: 'has no effect on an agent: declare it on its provider',
    emits_permission_warning: SCREEN,
  },
  agent_defaults: {
    upstream: UPSTREAM,
    model: 'has no effect: choose the model with option_defaults of an agent or a provider',
    wake_mode: 'has no effect: set it on each agent',
    allow_overlay: 'has no effect: its permissions and prohibitions are NOT applied',
    allow_env_override: 'has no effect: its permissions and prohibitions are NOT applied',
    skills: TOMBSTONE,
    mcp: TOMBSTONE,
  },
  daemon: {
    start_ready_timeout: 'has no effect: startup_timeout of [session] or of a provider bounds the start of a program',
    nudge_dispatcher: NUDGE,
    tick_debounce: 'has no effect: gc acts on events, not in ticks',
    auto_prune_worker_dir: 'has no effect: gc removes only worktrees of its own',
    'session_circuit_breaker*':
      'has no effect: max_restarts and restart_window keep a session that fails from starting',
  },
  session: {
    acp: 'has no effect: declare acp_command and acp_args on a provider',
    k8s: 'has no effect: gc does not run sessions in Kubernetes; its limits are NOT applied',
    socket: TERMINAL,
    debounce_ms: TERMINAL,
    display_ms: TERMINAL,
    remote_match: TERMINAL,
    nudge_ready_timeout: NUDGE,
    nudge_retry_interval: NUDGE,
    nudge_poll_interval: NUDGE,
    nudge_lock_timeout: NUDGE,
  },
  supervisor: {
    patrol_interval: 'has no effect: gc acts on events; patrol_interval of [daemon] is that of a city',
    allow_mutations: 'has no effect: other machines need a token for every change; --read-only rejects all changes',
  },
  mail: { provider: 'has no effect: mail is kept in this city’s own database' },
  events: { provider: 'has no effect: events are kept in this city’s own database' },
  'events.rotation': {
    enabled: 'has no effect: events leave the log only by retention',
    max_size_bytes: 'has no effect: events leave the log only by retention',
    check_interval_records: 'has no effect: events leave the log only by retention',
    check_interval_seconds: 'has no effect: events leave the log only by retention',
  },
  pricing: { last_verified: 'is a note for people: gc does not read it' },
  providers: {
    process_names: SCREEN,
    emits_permission_warning: SCREEN,
    accept_startup_dialogs: 'has no effect: gc answers no dialogs; they wait in `gc attention`',
    supports_hooks: HOOKS,
    resume_style: 'has no effect: write the subcommand or flag into resume_flag, or use resume_command',
    session_id_flag: 'has no effect: gc takes the key of a conversation from the program itself',
    fork_flag: 'has no effect: gc does not fork conversations',
    permission_modes: 'has no effect: permissions are chosen by options_schema; none in here is applied',
    upstream_env: UPSTREAM,
    print_args: 'has no effect: gc does not run the program to print one answer',
    title_model: 'has no effect: gc makes no titles with a model',
  },
  'providers.options_schema': { type: 'has no effect: every option is a choice' },
  'providers.options_schema.choices': { flag_aliases: 'has no effect: only flag_args are used' },
}

/** The keys of one section that have no effect. */
export interface KeysWithoutEffect {
  readonly keys: readonly string[]
  /** Says that a key has no effect; '' when its value asks for what gc does anyway, undefined for any other key. */
  sentenceFor(key: string, value: unknown): string | undefined
}

const BY_SECTION: ReadonlyMap<string, KeysWithoutEffect> = new Map(
  Object.entries(WITHOUT_EFFECT).map(([section, keys]) => [section, toKeys(keys)]),
)

const NONE: KeysWithoutEffect = { keys: [], sentenceFor: () => undefined }

/** The keys of a section that have no effect. */
export const keysWithoutEffect = (section: string): KeysWithoutEffect => BY_SECTION.get(section) ?? NONE

/** A key that ends with `*` stands for all that begin like it. */
function toKeys(section: Section): KeysWithoutEffect {
  const reasons = new Map(Object.entries(section))
  const prefixes = Object.entries(section).filter(([key]) => key.endsWith('*'))
  return {
    keys: [...reasons.keys()],
    sentenceFor(key, value) {
      const reason = reasons.get(key) ?? prefixes.find(([pattern]) => key.startsWith(pattern.slice(0, -1)))?.[1]
      if (typeof reason !== 'object') return reason
      return typeof value === 'string' && reason.unless.includes(value) ? '' : reason.sentence
    },
  }
}

/** Every section and key of the table, for anyone who checks it. */
export const listKeysWithoutEffect = (): { section: string; key: string; sentence: string }[] =>
  Object.entries(WITHOUT_EFFECT).flatMap(([section, keys]) =>
    Object.entries(keys).map(([key, reason]) => ({
      ...{ section, key, sentence: typeof reason === 'object' ? reason.sentence : reason },
    })),
  )
