import { join, normalize, sep } from 'node:path'

/** Where a profile is to be in force. */
export interface Surroundings {
  /** The home of the person that gc runs as. */
  readonly home: string
  /** `$GC_HOME`, where it is known. */
  readonly gcHome?: string | undefined
  /** The city's folder. */
  readonly city: string
  /** The city's rigs that lie on this machine. */
  readonly rigs: readonly { readonly name: string; readonly path: string | undefined }[]
  /** The rig of the agent. */
  readonly rig?: string | undefined
}

export type Access = 'read' | 'write'

/** What programs of this machine run or obey that are not confined, below home. */
const OBEYED = [
  ...['.claude', '.claude.json', '.codex', '.gemini', '.config', '.ssh', '.gnupg', '.aws', '.kube', '.docker'],
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
  ],
  ...['.inputrc', '.xprofile', '.xsession', '.pam_environment', '.gitconfig', '.npmrc', '.netrc', '.vimrc', '.vim'],
  ...['.tmux.conf', '.local/bin', '.local/lib', '.local/share', '.bun', '.deno', '.nvm', '.volta', '.fnm', '.asdf'],
  ...['.pyenv', '.rbenv', '.sdkman', '.rustup', '.cargo/bin', '.cargo/config.toml', 'go/bin', '.goenv', 'bin'],
  ...['Library/LaunchAgents', '.vscode', '.emacs.d', '.opencode', '.password-store', '.pypirc', '.mozilla'],
]
/** The system itself, and where programs of others are reached. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/boot', '/proc', '/sys'],
  ...['/run', '/var/run', '/var/lib', '/var/spool', '/snap', '/System', '/Library', '/Applications', '/private/etc'],
]
/** What is below them can be a program's own; they themselves are everybody's. */
const SHARED = ['/tmp', '/var/tmp', '/var', '/dev', '/dev/pts', '/dev/shm', '/mnt', '/media', '/srv', '/private/tmp']

/** The file or folder that a path of a profile names; undefined for one of a rig where there is none. */
export function placeOf(path: string, { home, rigs, rig }: Surroundings): string | undefined {
  if (path === '~' || path.startsWith('~/')) return trimmed(join(home, path.slice(1)))
  if (!path.startsWith('{rig}')) return trimmed(normalize(path))
  const folder = rigs.find(({ name }) => name === rig)?.path
  return folder === undefined ? undefined : trimmed(join(folder, path.slice('{rig}'.length)))
}

/** Why nobody may be confined who has access to a place; undefined when it takes nothing from what is promised. */
export function voids(place: string, access: Access, around: Surroundings): string | undefined {
  const { home, gcHome, city, rigs, rig } = around
  const own = join(city, '.gc')
  if (gcHome !== undefined && touch(place, gcHome)) return `${gcHome} has gc's own keys and the socket of its host`
  if (touch(place, own)) return `${own} has gc's own files`
  if (contains(place, home)) return `${home} has your keys and what your own programs run`
  if (access === 'read') return undefined
  const system = SYSTEM.find((folder) => touch(place, folder)) ?? SHARED.find((folder) => contains(place, folder))
  if (system !== undefined) return `${system} is the system's, and other programs run and are reached by what is in it`
  const obeyed = OBEYED.map((name) => join(home, name)).find((path) => touch(place, path))
  if (obeyed !== undefined) return `${obeyed} decides what programs do that are not confined`
  const others = rigs.filter(({ name, path }) => name !== rig && path !== undefined && touch(place, path))
  const [other] = others
  return other && `it is in rig ${other.name}, or has it in it, where other agents work`
}

const trimmed = (path: string): string => (path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path)

/** Whether one of two paths is the other, or is in it. */
export const touch = (a: string, b: string): boolean => contains(a, b) || contains(b, a)

/** Whether a path is a folder or is in it. */
export const contains = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
