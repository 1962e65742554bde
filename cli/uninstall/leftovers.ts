import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import type { Io } from '../io/io.ts'
import { findManager, installedFiles } from '../unit/manager.ts'

/** Files that gc created outside of its home: the unit, links for agents, shell completions. */
export function findInstalled(io: Pick<Io, 'env'>): string[] {
  const manager = findManager(io)
  return [...(manager ? installedFiles(manager) : []), ...links(resolveHome(io.env)), ...completions(io.env)]
}

/** The links to this program or the scripts that start it, and the rules of programs; never a program of somebody else. */
function links(home: string): string[] {
  const rules = ['gemini-policy.toml', 'claude-plugin'].map((name) => join(home, 'bin', name))
  const programs = ['gc', 'bd']
    .map((name) => join(home, 'bin', name))
    .filter((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false })
      return found?.isSymbolicLink() || (found?.isFile() && startsWith(path, '#!'))
    })
  return [...programs, ...rules.filter((path) => existsSync(path))]
}

/** Text that every script of `gc completion` contains. */
const COMPLETION_MARK = '# Completion of gc for '

/** The completion scripts in the folders where shells look for them. */
function completions(env: Io['env']): string[] {
  const home = env.HOME || homedir()
  const data = env.XDG_DATA_HOME || join(home, '.local', 'share')
  const config = env.XDG_CONFIG_HOME || join(home, '.config')
  return [
    join(data, 'bash-completion', 'completions', 'gc'),
    join(config, 'fish', 'completions', 'gc.fish'),
    join(data, 'zsh', 'site-functions', '_gc'),
    join(home, '.zfunc', '_gc'),
  ].filter((path) => existsSync(path) && readFileSync(path, 'utf8').includes(COMPLETION_MARK))
}

function startsWith(path: string, text: string): boolean {
  return readFileSync(path).subarray(0, text.length).toString() === text
}
