/** The database in a backup: a copy of the city's, made while that is in use. */
export const BACKUP_DB = '.gc/backup.db'
/** File that describes the origin of a backup. */
export const MANIFEST = '.gc/backup.json'

const STATE_FOLDERS = new Set(['.gc', '.gc/system'])
const STATE_FILES = new Set([BACKUP_DB, MANIFEST, '.gc/site.toml'])
const EVENT_ARCHIVE = /^\.gc\/events\.jsonl\.archive-[^/]*\.gz$/

/** The folders of a city and of a pack. */
const FOLDERS = new Set([
  'agents',
  'assets',
  'commands',
  'doctor',
  'formulas',
  'fragments',
  'hooks',
  'mcp',
  'orders',
  'overlay',
  'overlays',
  'packs',
  'prompts',
  'scripts',
  'shared',
  'skills',
  'template-fragments',
])

/** The files beside city.toml: declarations, texts and the programs that agents are started with. */
const FILE = /^[^./][^/]*\.(toml|lock|md|tmpl|txt|json|jsonc|yaml|yml|sh|bash|py|js|mjs|ts|rb)$/i

/** Files of `.gc` that are recreated when a city opens. */
const DERIVED = /^\.gc\/(city\.db.*|lock.*|cache|confined|runtime|social|system|backup-.*|last-good\.json)(\/|$)/

/** True if a city has a file of this name, and a backup may hold it. */
export function isCityFile(name: string): boolean {
  const parts = name.split('/')
  const [top = ''] = parts
  if (top === '.gc') return STATE_FILES.has(name) || EVENT_ARCHIVE.test(name)
  return parts.length === 1 ? FILE.test(name) : isCityFolder(parts.slice(0, -1).join('/')) && !isGit(name)
}

/** True if a city has a folder of this name, and a backup may hold it. */
export function isCityFolder(name: string): boolean {
  return STATE_FOLDERS.has(name) || (FOLDERS.has(name.split('/', 1)[0] ?? '') && !isGit(name))
}

/** True if something that a backup leaves out is of no use to a city elsewhere. */
export const isDerived = (name: string): boolean => DERIVED.test(name)

/** A repository brings hooks, which git runs. */
const isGit = (name: string): boolean => name.split('/').some((part) => /^\.git$/i.test(part))
