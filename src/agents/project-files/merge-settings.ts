import type { Settings } from '../../programs/parts/index.ts'
import { runtimes } from '../../programs/runtimes.ts'
import type { SettingsPart } from './wanted.ts'

const SHARED = new Map(
  runtimes()
    .flatMap(({ shared = [] }) => shared)
    .map((file) => [file.path, file]),
)

/** True if a file is merged with what is there, and not put in its place. */
export const isSharedFile = (path: string): boolean => SHARED.has(path)

/** Key that is merged entry by entry; a person's server wins over a pack's of the same name. */
const SERVERS = ['mcpServers', 'mcp']

/** Puts the parts into a file of settings: keys replace, hooks are merged event by event. */
export function mergeSettings(path: string, base: Settings, parts: readonly SettingsPart[]): Settings {
  return parts.reduce((settings, part) => mergePart(path, settings, part.settings), base)
}

function mergePart(path: string, base: Settings, part: Settings): Settings {
  const merged: Record<string, unknown> = { ...base, ...part }
  for (const key of SERVERS) {
    if (isTable(base[key]) && isTable(part[key])) merged[key] = { ...part[key], ...base[key] }
  }
  const isWrapped = SHARED.get(path)?.groupsHooks ?? false
  if (isTable(part.hooks)) merged.hooks = mergeHooks(isTable(base.hooks) ? base.hooks : {}, part.hooks, isWrapped)
  return merged
}

function mergeHooks(base: Settings, part: Settings, isWrapped: boolean): Settings {
  const merged: Record<string, unknown> = { ...base }
  for (const [event, entries] of Object.entries(part)) {
    const before = merged[event]
    merged[event] = Array.isArray(entries)
      ? entries.reduce<unknown[]>(
          (list, entry) => withEntry(list, prepareEntry(entry, isWrapped)),
          [...(Array.isArray(before) ? before : [])],
        )
      : entries
  }
  return merged
}

/** An entry with the matcher of another takes its place; the same entry is there once. */
function withEntry(list: readonly unknown[], entry: unknown): unknown[] {
  if (list.some((other) => Bun.deepEquals(other, entry))) return [...list]
  const matcher = isTable(entry) ? entry.matcher : undefined
  const at = matcher === undefined ? -1 : list.findIndex((other) => isTable(other) && other.matcher === matcher)
  return at < 0 ? [...list, entry] : list.with(at, entry)
}

/** Makes a bare hook a group of its own, for programs that take hooks in groups. */
function prepareEntry(entry: unknown, isWrapped: boolean): unknown {
  if (!isTable(entry)) return entry
  const isBare = isWrapped && typeof entry.command === 'string' && entry.hooks === undefined
  return guarded(isBare ? { hooks: [{ type: 'command', ...entry }] } : entry)
}

const GUARD = '[ -z "$GC_SESSION_ID" ] ||'

/** The entry with commands that do nothing outside of a session of gc. */
function guarded(entry: Settings): Settings {
  const { command, hooks } = entry
  return {
    ...entry,
    ...(typeof command === 'string' && { command: guardedCommand(command) }),
    ...(Array.isArray(hooks) && { hooks: hooks.map((hook) => (isTable(hook) ? guarded(hook) : hook)) }),
  }
}

const guardedCommand = (command: string): string => (command.startsWith(GUARD) ? command : `${GUARD} {\n${command}\n}`)

export const isTable = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
