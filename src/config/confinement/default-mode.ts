import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { addBlock, parseToml, setKey, TomlSyntaxError, tableOffset } from '../../core/toml/index.ts'
import { CONFINE_MODES, type ConfineMode, type FileContext, SectionReader } from '../declare/index.ts'
import { Diagnostics, formatDiagnostic, suggestion } from '../files/index.ts'

/** File with settings for every city of a supervisor, in `$GC_HOME`. */
const FILE = 'supervisor.toml'
const LAYER = { name: FILE, isEditable: true }

/** The key that says that gc itself wrote the default. */
const KEPT = 'kept_from_before'

/** Default sandbox of agents that declare none. */
const UNSAID: ConfineMode = 'default'

/** Default sandbox mode in the file of a supervisor. */
interface SaidMode {
  /** Absent where it says nothing. */
  readonly mode?: ConfineMode
  /** True if gc wrote it, so that agents continue as they ran before, and no person decided yet. */
  readonly isKept: boolean
}

/** Reads the default sandbox mode of a supervisor's cities; throws errors of its file. */
export const readDefaultMode = (gcHome: string): ConfineMode => readSaidMode(gcHome).mode ?? UNSAID

/** Reads the mode in the file of a supervisor; throws its errors. */
export const readSaidMode = (gcHome: string): SaidMode => readSupervisorToml(gcHome).confine

/** The address of a supervisor and its allowed callers, as its file declares them. */
interface ListenSettings {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
}

interface SupervisorFile {
  readonly confine: SaidMode
  readonly listen: ListenSettings
  /** The address that `gc upgrade` reads. */
  readonly upgradeIndex?: string
  /** A sentence for each key that has no effect. */
  readonly warnings: readonly string[]
}

/** Sections of the file in the known system, with what they do here. */
const INERT: ReadonlyMap<string, string> = new Map([
  ['publication', 'has no effect: publish services with --public-listen and --public-url'],
  ['events', 'has no effect: NO events are exported; read them with `gc events` or GET /v0/events/stream'],
])

/**
 * Reads the file of a supervisor; throws what is wrong with it. Keys that are unknown are warned of, as the file may be
 * that of another system. Those that may be meant to confine agents are errors.
 */
export function readSupervisorToml(gcHome: string): SupervisorFile {
  const text = readText(gcHome)
  if (text === undefined) return { confine: { isKept: false }, listen: NO_SETTINGS, warnings: [] }
  const diagnostics = new Diagnostics()
  const context = { diagnostics, layer: LAYER, file: FILE, unknownKeys: 'error' } as const
  const root = new SectionReader(context, '', parsed(text))
  const confine = root.child('confine')
  const mode = confine.oneOf('default', CONFINE_MODES)
  const isKept = confine.boolean(KEPT) === true && mode === 'off'
  const lenient = { ...context, unknownKeys: 'warning' } as const
  const listen = readListenSettings(root, lenient)
  const upgradeIndex = readUpgradeIndex(root, lenient)
  for (const key of root.keys) {
    if (key === 'supervisor' || key === 'upgrade' || suggestion(key, ['confine']) !== '') continue
    root.node(key)
    root.warning(key, INERT.get(key) ?? 'has no effect: it is not a section or key of this file')
  }
  root.finish()
  const wrong = diagnostics.list('error')
  if (wrong.length > 0) throw brokenError(wrong.map(formatDiagnostic).join('\n'))
  const warnings = diagnostics.list('warning').map(formatDiagnostic)
  return {
    confine: { ...(mode !== undefined && { mode }), isKept },
    listen,
    ...(upgradeIndex && { upgradeIndex }),
    warnings,
  }
}

const NO_SETTINGS: ListenSettings = { allowHosts: [], allowOrigins: [] }

function readListenSettings(root: SectionReader, context: FileContext): ListenSettings {
  const section = openSection(root, 'supervisor', context)
  if (!section) return NO_SETTINGS
  const settings = {
    port: section.integer('port', 0, 65_535) || undefined,
    host: section.string('bind'),
    allowHosts: section.strings('allowed_hosts') ?? [],
    allowOrigins: section.strings('allowed_origins') ?? [],
  }
  section.finish()
  return settings
}

function readUpgradeIndex(root: SectionReader, context: FileContext): string | undefined {
  const section = openSection(root, 'upgrade', context)
  const index = section?.string('index')
  section?.finish()
  return index
}

/** A table of the file whose unknown keys are treated as `context` says; undefined if it is absent or no table. */
function openSection(root: SectionReader, key: string, context: FileContext): SectionReader | undefined {
  const node = root.node(key)
  if (node && node.kind !== 'table') root.error(key, `must be a table: [${key}]`)
  return node?.kind === 'table' ? new SectionReader(context, `[${key}]`, node) : undefined
}

/** Message to a person whose agents run without a sandbox because they did so before sandboxes were the default. */
export const KEPT_UNCONFINED = {
  what: 'agents of this home run unconfined, as they did before',
  remedy: '`gc confine on` confines them, `gc confine off` leaves them so',
}

/**
 * Message about a home whose agents run without a sandbox only because they did before; errors of its file are reported
 * elsewhere.
 */
export function findKeptUnconfined(gcHome: string): typeof KEPT_UNCONFINED | undefined {
  try {
    return readSaidMode(gcHome).isKept ? KEPT_UNCONFINED : undefined
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Says in the file of a supervisor how agents are confined where no line says it: what a person decided. */
export const writeDefaultMode = (gcHome: string, mode: ConfineMode): void => write(gcHome, mode, undefined)

/** Lets agents without a `confine` setting run unconfined as before, until a person decides. */
export const keepUnconfined = (gcHome: string): void => write(gcHome, 'off', true)

function write(gcHome: string, mode: ConfineMode, isKept: true | undefined): void {
  const text = readText(gcHome) ?? ''
  parsed(text)
  const block = tableOffset(text, ['confine'])
  const set = (before: string | undefined, key: string, value: ConfineMode | true | undefined) =>
    before === undefined || block === undefined ? undefined : setKey(before, block, key, value)
  const pairs = [['default', mode] as const, [KEPT, isKept] as const]
  const changed =
    block === undefined
      ? addBlock(text, '[confine]', pairs)
      : pairs.reduce<string | undefined>((before, [key, value]) => set(before, key, value), text)
  if (changed === undefined) throw brokenError(`${FILE} does not write confine as a [block]; change it there by hand`)
  mkdirSync(gcHome, { recursive: true, mode: 0o700 })
  const path = join(gcHome, FILE)
  writeFileSync(`${path}.new`, changed, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function readText(gcHome: string): string | undefined {
  try {
    return readFileSync(join(gcHome, FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function parsed(text: string) {
  try {
    return parseToml(text)
  } catch (error) {
    if (error instanceof TomlSyntaxError) throw brokenError(`${FILE}:${error.line}: ${error.message}`)
    throw error
  }
}

const brokenError = (why: string): AppError => new AppError('invalid-request', `${why}; put $GC_HOME/${FILE} right`)
