import type { JsonRecord } from './entries/index.ts'
import type { LimitReader, LogStatement } from './limits/index.ts'
import type { LogFinder } from './logs/index.ts'
import type {
  Check,
  FirstRun,
  Inspector,
  KeyedApi,
  McpConnection,
  ProjectPart,
  ProviderOption,
  SharedFile,
} from './parts/index.ts'
import type { TerminalProfile } from './terminal-profile.ts'

/**
 * An agent program. Its parts are loaded on demand: the session host evaluates no log parsers, and a command that edits
 * the configuration evaluates no confinement.
 */
export interface Program {
  /** The name of its preset. */
  readonly name: string
  /** The folder of its login, settings and logs; absent when gc does not know it. */
  readonly home?: ProgramHome
  /** Its screens, as far as they differ from the default profile. */
  readonly screens?: Partial<TerminalProfile>
  /** The part for the configuration. */
  readonly preset: () => Promise<ProgramPreset>
  /** The part for confined sessions. */
  readonly confinement?: () => Promise<ProgramConfinement>
  /** The part for all sessions; absent when gc only starts it. */
  readonly runtime?: () => Promise<ProgramRuntime | undefined>
}

/** The folder of a program's state. */
export interface ProgramHome {
  /** The variable that leads the program there. */
  readonly variable: string
  /** It is this one below home where that is not set; '' for home itself. */
  readonly usual: string
  /** The folder of that name in the private state of a confined session. */
  readonly folder: string
  /** The file with its login in it; absent where it has none that can be shared. */
  readonly login?: string
  /** The files and folders in it that have its conversations. */
  readonly logs?: readonly string[]
  /** Other variables of confined sessions, whose temporary files are in this folder. */
  readonly confined?: (temporary: string) => Readonly<Record<string, string>>
}

/** A program before it runs: its provider, installation and login. */
export interface ProgramPreset {
  readonly provider: ProviderPreset
  /** The line that installs it. */
  readonly install: string
  /** The line that logs in to it, or what to do. */
  readonly login: string
  /** The hosts that it calls: of its models, of its login. */
  readonly hosts?: readonly string[]
  /** Variables of the supervisor that its sessions inherit. */
  readonly inherited?: RegExp
  /** Variables that would log it in as somebody else. */
  readonly loginVariables?: RegExp
  /** Files and folders below home that decide what it does. */
  readonly settings?: readonly string[]
  /** Checks its login. */
  readonly probe?: { readonly check: Check; readonly displayName?: string }
  /** The file of hooks in a project that it has a person review when they are new or changed. */
  readonly reviewedHooks?: string
  /** Has it run gc's own protocol without asking. */
  readonly protocol?: (place: ProtocolPlace) => ProtocolLaunch
  /** Files for the protocol in the folder of gc, which every session can read and no confined one can change. */
  readonly besideGc?: readonly { readonly name: string; readonly text: (gc: string) => string }[]
  /** Obstacle to reaching gc, or to running gc's own protocol without asking; undefined without one. */
  readonly obstacle?: (place: ObstaclePlace) => Promise<Obstacle | undefined> | Obstacle | undefined
  /** Has it trust the folder that it is started in. */
  readonly trust?: (folder: string) => Pick<ProtocolLaunch, 'args' | 'env'>
  /** Shows that it is logged in, if only a file or a variable does. */
  readonly loggedIn?: { readonly files: readonly string[]; readonly variable?: string; readonly otherwise: string }
}

/** A session whose program is to run gc's own protocol without asking. */
export interface ProtocolPlace {
  /** The path of gc. */
  readonly gc: string
  /** The variables of the program. */
  readonly env: Readonly<Record<string, string>>
  /** The value of its option `permission_mode`. */
  readonly mode: string
  /** The words that it is started with: its command, and the arguments of its provider and agent. */
  readonly words: readonly string[]
}

/** A program as an agent would run it. */
export interface ObstaclePlace extends Omit<ProtocolPlace, 'gc'> {
  readonly inspector: Inspector
  /** The words of its command, without arguments. */
  readonly command: readonly string[]
  /** The folder of its project. */
  readonly folder?: string | undefined
}

export interface Obstacle {
  readonly reason: string
  readonly fix: string
}

/**
 * Launch settings for the protocol: further arguments, variables, and project files that gc writes before the start.
 */
export interface ProtocolLaunch {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly files?: readonly ProjectPart[]
}

/** The way a program takes its first prompt: as an argument, after a flag, or typed into its terminal. */
export type PromptMode = 'arg' | 'flag' | 'none'

/** The start of a program, in the keys of `[providers.<name>]`. */
export interface ProviderPreset {
  displayName?: string
  command?: string
  args?: string[]
  promptMode?: PromptMode
  promptFlag?: string
  /** The file in which its program looks for instructions. */
  instructionsFile?: string
  readyDelayMs?: number
  readyPromptPrefix?: string
  env?: Record<string, string>
  supportsAcp?: boolean
  acpCommand?: string
  acpArgs?: string[]
  resumeFlag?: string
  optionDefaults?: Record<string, string>
  optionsSchema?: ProviderOption[]
}

/** A program that is confined. */
export interface ProgramConfinement {
  /** The files that its private home begins with, by their paths in it: what a person has seen, accepted and trusted. */
  readonly firstRun?: (place: FirstRun) => { readonly path: string; readonly text: string }[]
  /** True if the user trusts a folder, as the program keeps that outside of confinement. */
  readonly isTrusted?: (place: FirstRun) => boolean
  /** The APIs that it can be led to at another address, given its variables. */
  readonly keys?: (variables: Readonly<Record<string, string | undefined>>) => readonly KeyedApi[]
  /** The variable in which it takes the configuration that leads it there. */
  readonly configVariable?: string
  /** The keys of APIs that people gave it, in its login file, each by the variable that could have it instead. */
  readonly storedKeys?: (stored: JsonRecord) => Readonly<Record<string, string>>
}

/** A program that runs in a session. */
export interface ProgramRuntime {
  /** The folder in which it looks for skills. */
  readonly skills?: string
  /** The files of hooks and settings that it shares with people and packs. */
  readonly shared?: readonly SharedFile[]
  /** The hooks of gc itself, where packs bring none. */
  readonly hooks?: readonly ProjectPart[]
  /** Servers of tools, where it looks for them; `isSecret` when their keys are among them. */
  readonly mcp?: (servers: readonly McpConnection[], isSecret: boolean) => readonly ProjectPart[]
  /** Finds the logs of its conversations; absent where they cannot be read. */
  readonly log?: LogFinder
  /** The context window of models in tokens; the first pattern that matches a name applies. */
  readonly contextWindows?: readonly (readonly [model: RegExp, tokens: number])[]
  /** Reads a usage limit out of its screen. */
  readonly limit?: LimitReader
  /** Reads the state of its login out of an entry of its log. */
  readonly readEntry?: (entry: JsonRecord) => LogStatement | undefined
  /** Matches its messages about a login that is not accepted. */
  readonly loginFailure?: RegExp
}
