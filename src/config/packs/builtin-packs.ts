import type { PackSource } from './source.ts'

/** The packs that are part of gc, by the name of their folder. */
export const BUILTIN_PACKS = ['core', 'bd', 'dolt'] as const
export type BuiltinPack = (typeof BUILTIN_PACKS)[number]

/** The prompt in the pack core for agents that have none of their own. */
export const WORKER_PROMPT = 'assets/prompts/pool-worker.template.md'

const REPOSITORY = /^(?:https?:\/\/|ssh:\/\/git@|git@)github\.com[/:]gastownhall\/gascity(?:\.git)?$/i

/** Names by which existing cities import them: folders in that repository, at any locked commit. */
const FOLDERS: Readonly<Record<string, BuiltinPack>> = {
  'internal/bootstrap/packs/core': 'core',
  'examples/bd': 'bd',
  'examples/bd/dolt': 'dolt',
  'examples/dolt': 'dolt',
}

/** The pack of gc itself that answers a source, if one does. */
export function builtinPackOf(source: PackSource): BuiltinPack | undefined {
  if (source.kind !== 'git' || !REPOSITORY.test(source.url)) return undefined
  return Object.hasOwn(FOLDERS, source.subpath) ? FOLDERS[source.subpath] : undefined
}

/** The source under which gc itself names one of its packs. */
export const builtinSource = (pack: BuiltinPack): string =>
  `https://github.com/gastownhall/gascity.git//${Object.entries(FOLDERS).find(([, name]) => name === pack)?.[0]}`
