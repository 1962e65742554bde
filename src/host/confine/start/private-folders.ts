import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROGRAMS } from '../../../programs/list.ts'
import type { Confinement } from '../../protocol/index.ts'
import { gitLinks, hasGitSettings } from './git-settings.ts'

/** Folders that only one confined program has: for what is temporary, and for what its programs keep of themselves. */
export interface PrivateFolders {
  temporary: string
  state: string
}

const HOMES = PROGRAMS.flatMap(({ home }) => home ?? [])

/** State folders of programs that take one; relative to the private folder for state. */
const STATE = {
  ...Object.fromEntries(HOMES.map(({ variable, folder }) => [variable, folder])),
  XDG_CONFIG_HOME: 'config',
  XDG_DATA_HOME: 'data',
  XDG_STATE_HOME: 'state',
  XDG_CACHE_HOME: 'cache',
  npm_config_cache: 'npm',
  PIP_CACHE_DIR: 'pip',
  GOPATH: 'go',
  GOCACHE: 'go-build',
  CARGO_HOME: 'cargo',
  BUN_INSTALL_CACHE_DIR: 'bun',
  YARN_GLOBAL_FOLDER: 'yarn',
  GRADLE_USER_HOME: 'gradle',
  NUGET_PACKAGES: 'nuget',
  DOTNET_CLI_HOME: 'dotnet',
  BUNDLE_USER_HOME: 'bundle',
} as const

/** The variables that lead programs to what they keep in a private folder. */
export const stateVariables = (root: string): Record<string, string> =>
  Object.fromEntries(Object.entries(STATE).map(([name, folder]) => [name, join(root, 'state', folder)]))

/** Makes the folders below one, and answers with the variables that lead programs to them. */
export function makePrivateFolders(
  root: string,
  { home, begin }: Pick<Confinement, 'home' | 'begin'>,
): { folders: PrivateFolders; env: Record<string, string> } {
  const folders = { temporary: join(root, 'tmp'), state: join(root, 'state') }
  const isNew = !existsSync(folders.state)
  for (const folder of [folders.temporary, folders.state]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const state = stateVariables(root)
  for (const folder of Object.values(state)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Once a program was there, what it made of the folder could lead elsewhere.
  if (isNew) {
    const files = [...filesOfGit(home), ...(begin?.files ?? [])]
    fill(folders.state, { files, links: [...linksOfGit(home), ...(begin?.links ?? [])] })
  }
  const { temporary } = folders
  const own = HOMES.flatMap(({ confined }) => Object.entries(confined?.(temporary) ?? {}))
  return {
    folders,
    env: { ...state, ...Object.fromEntries(own), TMPDIR: temporary },
  }
}

/** Paths at which programs look for git settings in a folder that is private here. */
const linksOfGit = (home: string) =>
  gitLinks(home)
    .filter(({ to }) => existsSync(to))
    .map(({ path, to }) => ({ path: join(STATE.XDG_CONFIG_HOME, path), to }))

/** Files that `git config --global` changes if a person has no settings. */
const filesOfGit = (home: string) =>
  hasGitSettings(home) ? [] : [{ path: join(STATE.XDG_CONFIG_HOME, 'git/config'), text: '' }]

function fill(state: string, { files, links }: NonNullable<Confinement['begin']>): void {
  for (const { path, text } of files) writeFileSync(withFolder(join(state, path)), text, { mode: 0o600, flag: 'wx' })
  for (const { path, to } of links) symlinkSync(to, withFolder(join(state, path)))
}

function withFolder(path: string): string {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return path
}
