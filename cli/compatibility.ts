import type { Command } from 'commander'
import type { CommandContext } from './context/context.ts'
import { envelope } from './context/envelope.ts'
import { failure } from './io/exit.ts'
import { printJson, printLine } from './io/io.ts'

/**
 * Commands of packs that need no code of their own. The key is the words of the command. A row of one word stands for
 * everything below it as well.
 */
interface Rows {
  /** Other names of commands: the words they stand for, and a description for the help, if it lists them. */
  readonly short: Readonly<Record<string, readonly [words: string, description?: string]>>
  /** Commands for a storage or a runtime that gc does not have: each succeeds with the reason why nothing is done. */
  readonly nothing: Readonly<Record<string, string | readonly [reason: string, json: object]>>
  /** Commands that gc does not support: each fails with the alternative. */
  readonly absent: Readonly<Record<string, string>>
}

/** Output and errors of the commands in the rows. */
interface RowOutput {
  nothing(words: string, reason: string, json: object, isJson: boolean): void
  absent(sentence: string): Error
}

const CITY_DATA = 'gc maintains its data'
const TRACE =
  'gc records every decision as an event; `gc events` shows them, and `gc agent list` shows why an agent waits'
const REGISTRY = 'gc keeps no registries; `gc import add <address>` imports a pack by its address'
const METRICS = 'gc sends no usage metrics'
const CONTEXT = 'gc keeps no list of remote cities; GC_URL and GC_TOKEN name a supervisor elsewhere'
const HOSTED = 'gc has no hosted service and needs no account'

/** The commands of `gc` in packs that gc has under another name, does not need, or does not have. */
const GC_ROWS: Rows = {
  short: {
    'agent attach': ['session attach'],
    'agent drain': ['runtime drain'],
    'agent kill': ['session kill'],
    'agent logs': ['session logs'],
    'agent nudge': ['session nudge'],
    'agent peek': ['session peek'],
    'agent status': ['agent show'],
    'agent stop': ['session stop'],
    'agent wake': ['session wake'],
    'config check': ['config show --validate'],
    'config validate': ['config show --validate'],
    'context current': ['status'],
  },
  nothing: {
    beads: CITY_DATA,
    'build-image': 'gc runs agents on this machine, without images',
    'context list': [CONTEXT, { contexts: [] }],
    'convoy autoclose': 'gc closes a convoy with its last bead',
    dolt: CITY_DATA,
    'dolt-cleanup': CITY_DATA,
    'dolt-config': CITY_DATA,
    'dolt-state': CITY_DATA,
    maintenance: CITY_DATA,
    metrics: [METRICS, { enabled: false }],
    'nudge status': ['gc delivers messages itself', { queued: [], dead: [] }],
    'order sweep-nudge-mail': 'gc maintains its own records',
    'pack registry list': [REGISTRY, { registries: [] }],
    'pack registry refresh': [REGISTRY, { registries: [] }],
    'rig set-endpoint': CITY_DATA,
    'runtime check': 'gc runs agents on this machine, and has no other runtime to check',
    'runtime conformance': 'gc runs agents on this machine, and has no other runtime to check',
    'session release-name': 'the name of a closed session is free',
    'session unpin': 'gc pins no session',
    shell: '`gc completion <shell>` prints what a shell needs, and nothing else is installed',
    storage: CITY_DATA,
    trace: [TRACE, { active_arms: [], count: 0, records: [] }],
    wisp: 'gc closes the parts of a bead automatically',
  },
  absent: {
    'agent-script': 'gc does not play agents from a script: give the agent a start_command of its own',
    'context add': CONTEXT,
    'context remove': CONTEXT,
    'context show': CONTEXT,
    'context use': CONTEXT,
    converge: 'gc has no convergence loops; a step of a formula with a `check` repeats until the check passes',
    github: 'gc has no commands for GitHub itself; `gc import add` imports a pack that does',
    login: HOSTED,
    logout: HOSTED,
    mcp: 'gc has no list of MCP servers; they are declared in the folders `mcp` of the city and its packs',
    'nudge show': 'gc keeps no list of messages; `gc session transcript <session>` shows what a session got',
    'pack registry': REGISTRY,
    'pack release': 'gc does not publish packs; a tag of their repository is a version',
    prompt: 'gc does not write prompts: `gc prime <agent>` shows the one of an agent',
    'session pin': 'gc pins no session; `min_active_sessions` of its agent keeps one running',
    whoami: HOSTED,
  },
}

/** Names that packs of the city may take over, since gc does nothing under them. */
export const FALLBACKS: ReadonlySet<string> = new Set(
  [...Object.keys(GC_ROWS.nothing), ...Object.keys(GC_ROWS.absent)].filter((words) => !words.includes(' ')),
)

const BEAD_DATA = 'gc keeps beads in its own database and maintains it'
const SYNC = 'gc does not exchange beads with other trackers; `bd export` and `bd import` carry them as JSON Lines'
const HISTORY = 'gc keeps no branches of its data; `bd history <bead>` shows the history of a bead'

/** The commands of `bd` that are short for others, that gc does not need, or that it does not have. */
const BD_ROWS: Rows = {
  short: {
    burn: ['mol burn'],
    children: ['list --status all --limit 0 --include-gates --parent', 'list all descendants of a bead'],
    cook: ['formula show'],
    link: ['dep add', 'make a bead depend on another'],
    'mol create': ['mol pour'],
    'mol list': ['list --include-infra --type molecule'],
    'mol status': ['mol current'],
    'gate status': ['gate show'],
    onboard: ['prime'],
    pour: ['mol pour'],
    q: ['create --silent', 'create a bead and print only its id'],
    quickstart: ['prime'],
    relate: ['dep relate'],
    squash: ['mol squash'],
    tag: ['label add', 'add a label to beads'],
    todo: ['list --type task --status open'],
    'todo add': ['create'],
    'todo done': ['close'],
    'todo list': ['list --type task --status open'],
    unrelate: ['dep unrelate'],
    wisp: ['mol wisp'],
  },
  nothing: {
    admin: BEAD_DATA,
    audit: 'gc records every change with its actor; `bd history <bead>` shows the changes of a bead',
    backup: BEAD_DATA,
    bootstrap: BEAD_DATA,
    compact: BEAD_DATA,
    completion: '`gc completion <shell>` prints what a shell needs',
    daemon: BEAD_DATA,
    dolt: BEAD_DATA,
    flatten: BEAD_DATA,
    gc: BEAD_DATA,
    'gate add-waiter': 'gc wakes the assignee of the bead behind a gate',
    'gate discover': ['a gate at GitHub names its run with --await-id', { gates: [] }],
    hooks: 'gc needs no git hooks',
    init: BEAD_DATA,
    'init-safety': BEAD_DATA,
    lint: ['gc prescribes no sections of a description', { results: [], total: 0 }],
    migrate: BEAD_DATA,
    'mol stale': [
      'gc closes a molecule with its last step',
      { stale_molecules: [], total_count: 0, blocking_count: 0 },
    ],
    preflight: 'gc runs no checks of a project; a formula or `bd gate` can',
    prune: ['closed beads stay as history', { pruned_count: 0 }],
    purge: ['gc removes closed bookkeeping itself', { purged_count: 0 }],
    setup: '`gc` sets up the hooks of agent programs itself',
    sync: BEAD_DATA,
    upgrade: '`gc upgrade` replaces gc, and `bd` with it',
    vc: BEAD_DATA,
  },
  absent: {
    ado: SYNC,
    branch: HISTORY,
    'create-form': 'gc has no form on the terminal; `bd create "<title>" --description "<text>"` creates a bead',
    diff: HISTORY,
    duplicates: 'gc does not look for duplicates; `bd search <words>` does, and `bd duplicate` marks one',
    edit: 'gc opens no editor; `bd update <bead> --description "<text>"` changes a bead',
    federation: SYNC,
    'find-duplicates': 'gc does not look for duplicates; `bd search <words>` does, and `bd duplicate` marks one',
    'formula convert': 'gc reads formulas in TOML and JSON as they are',
    github: SYNC,
    gitlab: SYNC,
    jira: SYNC,
    linear: SYNC,
    mail: 'gc has mail of its own: `gc mail send <to> -s "<subject>" -m "<text>"`',
    'merge-slot': 'gc has no merge slots; a bead that one session claims serves as one',
    'mol attach': 'gc attaches a formula to a bead with `gc formula cook <formula> --attach <bead>`',
    'mol bond': 'gc does not bond molecules; `bd dep add` orders them, and a formula can extend another',
    'mol distill': 'gc does not make formulas of beads; `gc help formulas` shows how one is written',
    'mol last-activity': 'gc has no such report; `bd history <bead>` shows when a bead changed',
    'mol ready': 'gc has no such report; `bd ready` lists the steps that nothing blocks',
    'mol seed': 'gc does not patrol by seeds; an order starts a formula',
    notion: SYNC,
    orphans: 'gc does not read commit messages; `bd stale` lists work without recent changes',
    rename: 'a bead keeps the id it has; `bd update <bead> --title "<title>"` changes its title',
    'rename-prefix': 'the prefix of a rig is declared: change `prefix` in city.toml; beads keep the ids they have',
    repo: 'gc has one database for a city and its rigs; `bd --rig <rig>` chooses the rig',
    restore: HISTORY,
    rules: 'gc has no rules of its own; the prompts and skills of packs are',
    ship: 'gc has no capabilities of other projects; `bd dep add` makes a bead wait for another',
    sql: 'gc has no SQL for users; `bd list --json`, `bd query` and `gc bead export` read beads',
    swarm: 'gc has no swarms; `gc convoy create` groups beads, and a pool works on them side by side',
    worktree: 'gc has worktrees of its own; `gc worktree list` lists those of sessions',
  },
}

/** Adds the commands of rows to a program. */
function defineRows(program: Command, rows: Rows, output: RowOutput): void {
  for (const [words, [target, description]] of Object.entries(rows.short)) {
    const command = accepting(program, words, description)
    command.description(`${description ?? 'another name'}; short for \`${program.name()} ${target}\``)
  }
  for (const [words, row] of Object.entries(rows.nothing)) {
    const [reason, json] = typeof row === 'string' ? [row, {}] : row
    accepting(program, words)
      .description(`nothing to do: ${reason}`)
      .action((_words: string[], _options: object, command: Command) => {
        const isJson = command.args.includes('--json') || program.opts<{ json?: true }>().json === true
        output.nothing(words, reason, json, isJson)
      })
  }
  for (const [words, sentence] of Object.entries(rows.absent)) {
    accepting(program, words)
      .description(sentence)
      .action(() => {
        throw output.absent(sentence)
      })
  }
}

/** A command at the end of these words that takes any words and options; hidden without a description. */
function accepting(program: Command, words: string, description?: string): Command {
  const names = words.split(' ')
  const last = names.pop() ?? ''
  let parent = program
  for (const name of names) {
    const inner = parent.commands.find((each) => each.name() === name)
    parent = inner ?? parent.command(name, { hidden: true })
  }
  // A group that rows made, which has no description, may have an answer for its other commands.
  const group = parent.commands.find((each) => each.name() === last && each.description() === '')
  return (group ?? parent.command(last, { hidden: description === undefined }))
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
}

/** The words of a line with the command it is short for; the options in front of the command, some with a value, stay. */
function expandShort(args: readonly string[], { short }: Rows, valued: ReadonlySet<string>): readonly string[] {
  let at = 0
  for (let word = args[at]; word?.startsWith('-'); word = args[at]) at += valued.has(word) ? 2 : 1
  const matches = Object.keys(short).filter((words) => words.split(' ').every((word, n) => args[at + n] === word))
  const words = matches.sort((a, b) => b.length - a.length)[0]
  const target = words === undefined ? undefined : short[words]?.[0]
  if (words === undefined || target === undefined) return args
  const rest = args.slice(at + words.split(' ').length)
  const isHelp = rest.some((word) => word === '--help' || word === '-h')
  // The help is that of the command which it stands for, without the options that the short name gives.
  const full = isHelp ? target.split(' ').filter((word) => !word.startsWith('-')) : target.split(' ')
  return [...args.slice(0, at), ...full, ...(isHelp ? ['--help'] : rest)]
}

/** The words of a `gc` command line, with an older name replaced by its command. */
export const expandGc = (args: readonly string[]): readonly string[] =>
  expandShort(args, GC_ROWS, new Set(['--city', '--rig']))

/** The words of a line of `bd`, with the command that its first words are short for. */
export const expandBd = (args: readonly string[]): readonly string[] => expandShort(args, BD_ROWS, BD_VALUED)

/** The options of `bd` itself that take a value. */
export const BD_VALUED: ReadonlySet<string> = new Set([
  '--city',
  '--rig',
  '--db',
  '-C',
  '--directory',
  '--dir',
  '--actor',
])

export function compatibleCommands(program: Command, { io }: CommandContext): void {
  defineRows(program, GC_ROWS, {
    absent: failure,
    nothing(words, reason, json, isJson) {
      const message = `nothing to do for \`gc ${words}\`: ${reason}`
      if (isJson) printJson(io, envelope({ command: words, message, storage: 'sqlite', ...json }))
      else printLine(io, message)
    },
  })
}

/** Adds what packs call of `bd` besides; `print` writes an object as JSON or a sentence as a line. */
export function compatibleBdCommands(program: Command, print: (json: object | undefined, line: string) => void): void {
  defineRows(program, BD_ROWS, {
    absent: failure,
    nothing(words, reason, json, isJson) {
      const message = `nothing to do for \`bd ${words}\`: ${reason}`
      print(isJson ? { ok: true, message, ...json } : undefined, message)
    },
  })
}
