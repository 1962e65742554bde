import { accessSync, constants, type Dirent, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { aliasesOf } from '../../../core/mounts.ts'

/**
 * Folders in which programs are installed with settings for everybody who runs them; `*` stands for one name. Those without a
 * slash in front are below home.
 */
const PREFIXES = [
  ...['/', '/usr', '/usr/local', '/opt', '/opt/*', '/snap/*/current', '/home/linuxbrew/.linuxbrew'],
  ...['/usr/share/nodejs', '/usr/share/maven', '/usr/share/gradle', '/usr/lib/node_modules', '/usr/lib/gradle'],
  ...[
    '.npm-global',
    '.bun',
    '.deno',
    '.yarn',
    '.yarn/bin',
    '.linuxbrew',
    '.claude/local',
    '.opencode',
    '.pixi',
    '.pixi/envs/*',
  ],
  ...[
    '.nvm',
    '.nvm/versions/*/*',
    '.nvm/v*',
    '.volta',
    '.volta/tools/image/*/*',
    '.nodenv/versions/*',
    '.nodebrew/*/*',
  ],
  ...['.fnm/node-versions/*/installation', '.local/share/fnm/node-versions/*/installation', '.proto/tools/*/*'],
  ...['.asdf', '.asdf/installs/*/*', '.local/share/mise', '.local/share/mise/installs/*/*'],
  ...['.pyenv', '.pyenv/versions/*', '.pyenv/versions/*/envs/*', '.local/share/uv/python/*', '.local/share/uv/tools/*'],
  ...['.local/pipx', '.local/pipx/venvs/*', '.local/share/pipx', '.local/share/pipx/venvs/*'],
  ...['.local/share/pypoetry', '.local/share/pypoetry/venv', '.local/share/pnpm', '.local/share/pnpm/nodejs/*'],
  ...['miniconda3', 'anaconda3', 'miniforge3', 'mambaforge'].flatMap((name) => [name, `${name}/envs/*`]),
  ...['.rbenv/versions/*', '.goenv/versions/*', '.gvm/gos/*', '.opam/*', '.rustup', '.rustup/toolchains/*', '.juliaup'],
  ...[
    '.sdkman',
    '.sdkman/candidates/*/*',
    'sdk/*',
    '.jenv/versions/*',
    '.elan',
    '.ghcup',
    '.local/lib',
    '.local/bin',
    'go/bin',
  ],
]

/** Locations of passwords and tokens below such a folder, by their reader. */
const CREDENTIALS: Readonly<Record<string, readonly string[]>> = {
  npm: [
    'etc/npmrc',
    'npmrc',
    '.npmrc',
    '.npm/etc/npmrc',
    'npm/npmrc',
    'lib/node_modules/npm/npmrc',
    'install/global/.npmrc',
  ],
  pnpm: ['rc', 'auth.ini', 'etc/pnpmrc', 'global/*/.npmrc', 'etc/xdg/pnpm/rc', 'etc/xdg/pnpm/auth.ini'],
  yarn: ['etc/yarnrc', 'yarnrc', '.yarnrc', '.yarnrc.yml', 'etc/yarnrc.yml'],
  bun: ['bunfig.toml', '.bunfig.toml', 'install/global/bunfig.toml', 'etc/xdg/.bunfig.toml'],
  pip: [
    'pip.conf',
    'etc/pip.conf',
    'etc/xdg/pip/pip.conf',
    'etc/pip/pip.conf',
    'pip/pip.conf',
    '.pypirc',
    'etc/pypirc',
  ],
  uv: ['etc/uv/uv.toml', 'etc/xdg/uv/uv.toml', 'uv.toml', 'credentials/credentials.toml'],
  poetry: ['auth.toml', 'etc/xdg/pypoetry/auth.toml'],
  conda: ['.condarc', 'condarc', '.condarc.d', 'condarc.d', 'etc/conda', '.mambarc', 'etc/condarc'],
  cargo: ['credentials', 'credentials.toml', 'etc/cargo/credentials.toml', 'registry/credentials.toml'],
  gem: ['etc/gemrc', 'gemrc', '.gemrc', '.gem/credentials', 'gem/credentials', 'etc/gem/credentials'],
  bundler: ['.bundle/config', 'etc/bundle/config'],
  composer: ['auth.json', '.composer/auth.json', 'composer/auth.json', 'etc/composer/auth.json'],
  maven: ['conf/settings-security.xml', 'etc/maven/settings-security.xml', 'libexec/conf/settings-security.xml'],
  nuget: ['NuGet.Config', 'nuget.config', 'etc/opt/NuGet', 'etc/nuget', 'NuGet/NuGet.Config'],
  terraform: ['credentials.tfrc.json', '.terraformrc', 'etc/terraformrc'],
  docker: ['.docker/config.json', 'etc/docker/key.json', 'etc/docker/certs.d', 'etc/containers/auth.json'],
  kubernetes: ['etc/kubernetes', 'etc/rancher', 'etc/cni/net.d', '.kube/config'],
  git: ['etc/git-credentials', '.git-credentials', 'git-credentials'],
  hosts: ['.netrc', '_netrc', 'etc/netrc', 'netrc'],
  dotenv: ['.env', '.env.local', '.env.production'],
  system: [
    ...['etc/shadow', 'etc/shadow-', 'etc/gshadow', 'etc/gshadow-', 'etc/master.passwd', 'etc/security/opasswd'],
    ...['etc/sudoers', 'etc/sudoers.d', 'etc/doas.conf', 'etc/ssh/*_key', 'etc/ssl/private', 'etc/pki/tls/private'],
    ...['etc/pki/private', 'etc/letsencrypt', 'etc/acme', 'etc/wireguard', 'etc/openvpn', 'etc/ipsec.secrets'],
    ...['etc/ipsec.d/private', 'etc/swanctl/private', 'etc/ppp/*-secrets', 'etc/NetworkManager/system-connections'],
    ...[
      'etc/netplan',
      'etc/wpa_supplicant',
      'etc/iwd',
      'etc/krb5.keytab',
      'etc/samba/smbpasswd',
      'etc/mysql/debian.cnf',
    ],
    ...['etc/postfix/sasl*', 'etc/exim4/passwd.client', 'etc/msmtprc', 'etc/cups/ssl', 'etc/ceph', 'etc/credstore'],
    ...['etc/credstore.encrypted', 'etc/cryptsetup-keys.d', 'etc/luks', 'etc/rndc.key', 'etc/bind/rndc.key'],
    ...['etc/brlapi.key', 'etc/davfs2/secrets', 'etc/smbcredentials', 'etc/apt/auth.conf', 'etc/apt/auth.conf.d'],
  ],
}

/** Settings that programs ship and fail without, with what a line of them looks like that has a key in it. */
const SETTINGS: readonly { readonly names: readonly string[]; readonly key: RegExp }[] = [
  {
    names: [
      'conf/settings.xml',
      'etc/maven/settings.xml',
      'libexec/conf/settings.xml',
      'share/maven/conf/settings.xml',
    ],
    key: /<(?:password|passphrase|privateKey|value)>\s*[^<\s]/,
  },
  {
    names: ['gradle.properties', 'init.d/*', 'libexec/gradle.properties'],
    key: /password|token|secret|credentials|apikey/i,
  },
]

/** A file of the system that not everybody may read is a secret, even where gc runs as who may. */
const CLOSED_IN = '/etc'
const READABLE_BY_ALL = 0o004

/** Settings below home that toolchains need. */
const KEYED_SETTINGS = [{ path: '.config/mise/config.toml', key: /(?:token|key|secret|password)\w*["']?\s*=/i }]

/** Time what was found stays: a supervisor starts many programs in a row. */
const FRESH_MS = 5_000
let last: { readonly home: string; readonly at: number; readonly paths: readonly string[] } | undefined

/**
 * The files and folders with credentials that lie in what every sandbox reads, under all of their paths: found again
 * for each program, but for those started within five seconds.
 */
export function secretFiles(home: string): readonly string[] {
  const at = performance.now()
  if (last?.home === home && at - last.at < FRESH_MS) return last.paths
  const paths = [...new Set(listSecrets(home).filter(isReadable).flatMap(aliasesOf))]
  last = { home, at, paths }
  return paths
}

function listSecrets(home: string): string[] {
  const prefixes = PREFIXES.flatMap((prefix) => matches(prefix.startsWith('/') ? '/' : home, prefix))
  const always = Object.values(CREDENTIALS).flat()
  return [
    ...prefixes.flatMap((prefix) => [
      ...findIn(prefix, always),
      ...SETTINGS.flatMap(({ names, key }) => findIn(prefix, names).filter((path) => hasLine(path, key))),
    ]),
    ...KEYED_SETTINGS.flatMap(({ path, key }) => [join(home, path)].filter((each) => hasLine(each, key))),
    ...closedIn(CLOSED_IN),
  ]
}

/** Existing names in a folder; a folder without any of the first parts is read once. */
function findIn(folder: string, names: readonly string[]): string[] {
  const entries = new Set(namesIn(folder))
  if (entries.size === 0) return []
  return names
    .filter((name) => {
      const [first = ''] = name.split('/')
      return first.includes('*') || entries.has(first)
    })
    .flatMap((name) => matches(folder, name))
}

/** The paths below a folder that a pattern names, as far as they are there. */
function matches(folder: string, pattern: string): string[] {
  let paths = [folder]
  for (const part of pattern.split('/').filter(Boolean)) {
    paths = paths.flatMap((path) =>
      part.includes('*') ? namesLike(path, part).map((name) => join(path, name)) : [join(path, part)],
    )
  }
  return paths.filter((path) => modeOf(path) !== undefined)
}

/** The mode of a file; undefined where none is, or none that this user can reach. */
function modeOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.mode
  } catch {
    return undefined
  }
}

function namesLike(folder: string, pattern: string): string[] {
  const [start = '', end = ''] = pattern.split('*')
  return namesIn(folder).filter(
    (name) => name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end),
  )
}

/** The files in a folder of the system that are closed to others, and its closed folders as wholes. */
function closedIn(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    const mode = entry.isSymbolicLink() ? undefined : modeOf(path)
    if (mode === undefined) return []
    if ((mode & READABLE_BY_ALL) === 0) return [path]
    return entry.isDirectory() ? closedIn(path) : []
  })
}

/** True if this user could read it, so that nothing but the sandbox would keep a program from it. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Examples in settings that are shipped. */
const COMMENT = /<!--[\s\S]*?-->|^\s*#.*$/gm

function hasLine(path: string, line: RegExp): boolean {
  try {
    return line.test(readFileSync(path, 'utf8').replace(COMMENT, ''))
  } catch {
    return false
  }
}

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const namesIn = (folder: string): string[] => entriesIn(folder).map(({ name }) => name)

/** Landlock has no exceptions: paths that are readable whole, and folders in which only names are. */
export interface ReadablePlaces {
  readonly read: string[]
  readonly list: string[]
}

/**
 * Takes from places what is withheld: a folder around it gives way to what else is in it. `named` places are kept where they
 * are withheld themselves, or lie in what is, since somebody asked for just them. What is made later in a folder that gave
 * way is not in the places.
 */
export function without(
  places: readonly string[],
  withheld: readonly string[],
  { named = false }: { named?: boolean } = {},
): ReadablePlaces {
  const carved: ReadablePlaces = { read: [], list: [] }
  for (const place of places) {
    if (named || !withheld.some((path) => isIn(path, place))) carve(place, withheld, carved)
  }
  return carved
}

function carve(place: string, withheld: readonly string[], carved: ReadablePlaces): void {
  const inside = withheld.filter((path) => path !== place && isIn(place, path))
  if (inside.length === 0) {
    carved.read.push(place)
    return
  }
  carved.list.push(place)
  for (const entry of entriesIn(place)) {
    const path = join(place, entry.name)
    // What a link leads to is readable if its own place is.
    if (!entry.isSymbolicLink() && !inside.includes(path)) carve(path, inside, carved)
  }
}

const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
