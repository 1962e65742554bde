import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { linkTarget } from '../../../core/files.ts'
import { realPath } from '../../../core/folders.ts'
import { aliasesOf } from '../../../core/mounts.ts'
import type { Policy } from '../policy.ts'
import { gitSettings } from './git-settings.ts'
import { secretFiles, without } from './secret-files.ts'

/** The system as it is installed: programs, libraries, settings, and information of the kernel. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/proc', '/sys'],
  ...['/gnu/store', '/snap', '/home/linuxbrew/.linuxbrew', '/dev/random', '/dev/urandom'],
  // Of macOS.
  ...['/System', '/Library', '/private/etc', '/private/var/db/timezone', '/private/var/db/dyld'],
]
/** Devices without which few programs work; the pseudo terminals among them. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/tty', '/dev/ptmx', '/dev/pts', '/dev/shm']
/** Folders in which people install compilers and packages: named folders, never the whole home. */
const TOOLCHAINS = [
  ...['.bun', '.deno', '.nvm', '.volta', '.fnm', '.asdf', '.pyenv', '.rbenv', '.sdkman', '.rustup', '.cargo/bin'],
  ...['.nodenv', '.nodebrew', '.npm-global', '.proto', '.jenv', '.goenv', '.gvm', 'go/bin', 'sdk', '.ghcup', '.elan'],
  ...['.cabal/bin', '.opam', '.juliaup', '.foundry/bin', '.pixi', '.nix-profile', '.linuxbrew', '.yarn/bin'],
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', '.opencode/bin', '.claude/local', '.tool-versions'],
  ...['sdk', 'shared', 'host', 'tools', 'dotnet'].map((name) => `.dotnet/${name}`),
  ...['.local/bin', '.local/lib', '.local/pipx', '.config/mise/config.toml'],
  ...['mise', 'pnpm', 'fnm', 'pipx', 'pypoetry', 'claude'].map((name) => `.local/share/${name}`),
  // Beside them uv keeps the keys of registries.
  ...['.local/share/uv/python', '.local/share/uv/tools'],
]
/** Those that look for themselves in folders which are private here, by the variable that leads them to their own. */
const LED: Readonly<Record<string, string>> = {
  MISE_DATA_DIR: '.local/share/mise',
  MISE_GLOBAL_CONFIG_FILE: '.config/mise/config.toml',
  FNM_DIR: '.local/share/fnm',
}

/** Variables that lead toolchains of a person with this home to what they have installed. */
export const toolchainVariables = (home: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(LED).flatMap(([name, folder]) => {
      const path = join(home, folder)
      return existsSync(path) ? [[name, path]] : []
    }),
  )

/** The places that every confined program may read, and those that it may change, of a person with this home. */
export const defaultPlaces = (home: string): { read: string[]; write: string[] } => ({
  read: [...SYSTEM, ...TOOLCHAINS.map((name) => join(home, name)), ...gitSettings(home)].filter((path) =>
    existsSync(path),
  ),
  write: DEVICES.filter((path) => existsSync(path)),
})

/** Input of a program's policy; `read` and `write` are real paths without links. */
export interface ConfinementRequest {
  home: string
  /** The file of the program that is started. */
  program: string
  /** The folder that it works in, and other places that it may change. */
  write: readonly string[]
  /** Further readable paths. */
  read?: readonly string[]
  /** Commonly readable paths that it may not read, unless `read` or `write` includes them. */
  withheld?: readonly string[]
  network?: Policy['network']
  ports?: readonly number[]
  yields?: Policy['yields']
}

/** Permissions of every sandboxed program, plus the requested ones. */
export function makePolicy(request: ConfinementRequest): Policy {
  const { home, program, read = [], withheld = [], write, network = 'session', ports = [], yields = [] } = request
  const names = network === 'open' ? ['/run/systemd/resolve', '/run/resolvconf'] : []
  const own = [...read, ...write]
  const hidden = [...secretFiles(home), ...withheld.flatMap(aliasesOf)]
  const usual = without(realPaths([...defaultPlaces(home).read, ...names]), hidden)
  const asked = without([...realPaths(foldersOf(program, own)), ...read], hidden, { named: true })
  return {
    read: [...new Set([...usual.read, ...asked.read])],
    list: [...new Set([...usual.list, ...asked.list])],
    write: [...new Set([...write, ...realPaths(DEVICES)])],
    network,
    ...{ ports: [...ports], yields: [...yields] },
  }
}

/** Current targets of paths; missing ones need no rule. */
function realPaths(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => (existsSync(path) ? [realpathSync(path)] : [])))]
}

/**
 * A program and, where it is a link into a package, the folder that has the package's files. One that lies where its session
 * may look anyway allows nothing more: what is there may be made by agents, links among it.
 */
function foldersOf(program: string, own: readonly string[]): string[] {
  if (ancestors(program).some((folder) => own.some((place) => isIn(place, realPath(folder))))) return []
  const target = linkTarget(program)
  if (target === undefined) return [program]
  const path = resolve(dirname(program), target)
  const modules = path.lastIndexOf('/node_modules/')
  return [program, modules < 0 ? path : path.slice(0, modules + '/node_modules'.length)]
}

/** The folders that lead to a file, and the file. */
const ancestors = (path: string): string[] => (dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))])

const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
