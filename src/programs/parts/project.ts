/** Settings of a program, as JSON. */
export type Settings = { readonly [key: string]: unknown }

/** A table of a TOML file, and its text. */
export interface NamedTable {
  readonly header: string
  readonly text: string
}

/** One place of a project that gc writes to: settings, a file of its own, or tables at the end of a TOML file. */
export type ProjectPart =
  | { readonly path: string; readonly settings: Settings; readonly isSecret?: boolean }
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly tables: readonly NamedTable[]; readonly isSecret: boolean }

/** A file of hooks or settings that a program shares with people and packs: it is merged, and not replaced. */
export interface SharedFile {
  readonly path: string
  /** The program takes its hooks in groups; a bare one becomes a group of its own. */
  readonly groupsHooks?: boolean
}

/** The way to a server of tools: a command that the agent runs, or an address. */
export type McpConnection =
  | { name: string; command: string; args: string[]; env: Record<string, string> }
  | { name: string; type: 'http' | 'sse'; url: string; headers: Record<string, string> }

const hook = (command: string): Settings => ({ type: 'command', command })

/** Hooks that run together at one event. */
export const hookGroup = (...commands: string[]): Settings => ({ hooks: commands.map(hook) })

/** The hook that reports the conversation of a session at its start. */
export const startHook = (program: string): Settings => hookGroup(`gc prime --hook --hook-format ${program}`)

const bounded = (command: string) => `gc hook run --timeout 15s --timeout-exit-code 0 -- ${command}`

/** The hooks that bring nudges and mail into a turn. */
export const TURN_HOOKS = hookGroup(bounded('nudge drain --inject'), bounded('mail check --inject'))

/** The hook that hands over before a conversation is compacted. */
export const COMPACTION_HOOK = hookGroup('gc handoff --auto "context cycle"')

/** Servers under a key of a file of settings, each in a program's own form. */
export const serverSettings = (
  place: { path: string; key: string; isSecret: boolean },
  servers: readonly McpConnection[],
  form: (server: McpConnection) => Settings,
): ProjectPart => ({
  path: place.path,
  settings: { [place.key]: Object.fromEntries(servers.map((each) => [each.name, form(each)])) },
  isSecret: place.isSecret,
})

/** A server as most programs declare it under `mcpServers`. */
export function commonServer(server: McpConnection): Settings {
  if ('command' in server) return { command: server.command, args: server.args, env: server.env }
  return { type: server.type, url: server.url, headers: server.headers }
}
