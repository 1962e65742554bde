import { join, normalize, sep } from 'node:path'
import { contains, touch } from '../../core/folders.ts'
import { aliasesOf } from '../../core/mounts.ts'
import { PRESETS } from '../../programs/presets.ts'

/** Context in which a profile would apply. */
export interface Surroundings {
  /** The home of the person that gc runs as. */
  readonly home: string
  /** `$GC_HOME`, where it is known. */
  readonly gcHome?: string | undefined
  /** The city's folder; undefined for a command of no city. */
  readonly city?: string | undefined
  /** The folders of the other cities of `$GC_HOME`. */
  readonly cities?: readonly string[] | undefined
  /** The city's rigs that lie on this machine. */
  readonly rigs: readonly { readonly name: string; readonly path: string | undefined }[]
  /** The rig of the agent. */
  readonly rig?: string | undefined
}

export type Access = 'read' | 'write'

/** Files below home that programs outside of the sandbox run or obey. */
const OBEYED = [
  ...[...PRESETS.values()].flatMap(({ settings = [] }) => settings),
  ...['.config', '.ssh', '.gnupg', '.aws', '.kube', '.docker'],
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
  ...['Library/LaunchAgents', '.vscode', '.emacs.d', '.password-store', '.pypirc', '.mozilla'],
]
/** The system itself, and where programs of others are reached. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix', '/boot', '/proc', '/sys'],
  ...['/run', '/var/run', '/var/lib', '/var/spool', '/snap', '/System', '/Library', '/Applications', '/private/etc'],
]
/** Folders in which every program keeps what is temporary. */
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp']
/** Shared folders; a program may own what is below them, but not the folders themselves. */
const SHARED = [...TEMPORARY, '/var', '/dev', '/dev/pts', '/mnt', '/media', '/srv']

/** The file or folder that a path of a profile names; undefined for one of a rig where there is none. */
export function placeOf(path: string, { home, rigs, rig }: Surroundings): string | undefined {
  if (path === '~' || path.startsWith('~/')) return trimmed(join(home, path.slice(1)))
  if (!path.startsWith('{rig}')) return trimmed(normalize(path))
  const folder = rigs.find(({ name }) => name === rig)?.path
  return folder === undefined ? undefined : trimmed(join(folder, path.slice('{rig}'.length)))
}

/** Reason no sandbox may have access to a place; undefined if that breaks no promise. */
export function confinementRisk(place: string, access: Access, around: Surroundings): string | undefined {
  const { home, rigs, rig } = around
  const exposed = exposes(place, around)
  if (exposed !== undefined || access === 'read') return exposed
  const system = SYSTEM.find((folder) => touch(place, folder)) ?? SHARED.find((folder) => contains(place, folder))
  if (system !== undefined) return systems(system)
  const obeyed = OBEYED.map((name) => join(home, name)).find((path) => reaches(place, path))
  if (obeyed !== undefined) return `${obeyed} decides what programs do that are not confined`
  const others = rigs.filter(({ name, path }) => name !== rig && path !== undefined && reaches(place, path))
  const [other] = others
  return other && `it is in rig ${other.name}, or has it in it, where other agents work`
}

/** Reason no sandbox may work in a folder that is a person's project; undefined if all of it may be its own. */
export function projectConfinementRisk(folder: string, around: Surroundings): string | undefined {
  const temporary = TEMPORARY.find((each) => contains(folder, each))
  return exposes(folder, around) ?? (temporary && systems(temporary))
}

/** Files of gc and keys of the person in a place; undefined without any. */
function exposes(place: string, { home, gcHome, city, cities = [] }: Surroundings): string | undefined {
  if (gcHome !== undefined && reaches(place, gcHome)) return `${gcHome} has gc's own keys and the socket of its host`
  const folders = [...(city === undefined ? [] : [city]), ...cities].map((each) => join(each, '.gc'))
  const own = folders.find((folder) => reaches(place, folder))
  if (own !== undefined) return `${own} has gc's own files`
  return aliasesOf(home).some((each) => contains(place, each))
    ? `${home} has your keys and what your own programs run`
    : undefined
}

const systems = (folder: string): string =>
  `${folder} is the system's, and other programs run and are reached by what is in it`

/** True if a place is a folder, is in it or has it in it, by whatever links and mounts. */
const reaches = (place: string, folder: string): boolean => aliasesOf(folder).some((alias) => touch(place, alias))

const trimmed = (path: string): string => (path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path)
