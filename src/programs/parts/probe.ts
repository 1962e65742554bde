/** The reach of a probe: the environment of agents, files, and the output of programs. */
export interface Inspector {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  /** The text of a settings file; undefined when it cannot be read or is too large. */
  readFile(path: string): string | undefined
  /** The value of a JSON file: undefined when it does not exist, null when it is not JSON. */
  readJson(path: string): unknown
  /** The names in a folder; none when there is no such folder. */
  listFolder(path: string): readonly string[]
  /** Runs a command for a bounded time. */
  run(command: readonly string[]): Promise<CommandResult>
}

/** The result of running a command. */
export interface CommandResult {
  readonly code: number | undefined
  readonly stdout: string
  /** True when the command was killed at its timeout. */
  readonly timedOut: boolean
}

/** The result of probing a program. */
export interface ProbeResult {
  readonly status: 'configured' | 'needs_auth' | 'not_installed' | 'invalid_configuration' | 'probe_error'
  readonly detail?: string
}

/** Determines whether an installed program is ready for use. */
export type Check = (inspector: Inspector) => Promise<ProbeResult> | ProbeResult

export const configured: ProbeResult = { status: 'configured' }
export const needsAuth = (detail: string): ProbeResult => ({ status: 'needs_auth', detail })
export const invalid = (detail: string): ProbeResult => ({ status: 'invalid_configuration', detail })
