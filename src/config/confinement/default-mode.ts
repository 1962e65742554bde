import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import { CONFINE_MODES, type ConfineMode } from '../declare/confine.ts'
import { SectionReader } from '../declare/section-reader.ts'
import { Diagnostics, formatDiagnostic } from '../diagnostics/diagnostics.ts'
import { addBlock, setKey, tableOffset } from '../toml/edit.ts'
import { parseToml, TomlSyntaxError } from '../toml/parse.ts'

/** What holds for every city of a supervisor; a person's file in `$GC_HOME`. */
const FILE = 'supervisor.toml'
const LAYER = { name: FILE, isEditable: true }

/** How agents are confined of which no line says it. */
const UNSAID: ConfineMode = 'off'

/** How agents of a supervisor's cities are confined where no line says it; throws what is wrong with its file. */
export function readDefaultMode(gcHome: string): ConfineMode {
  const text = readText(gcHome)
  if (text === undefined) return UNSAID
  const diagnostics = new Diagnostics()
  const root = new SectionReader({ diagnostics, layer: LAYER, file: FILE, unknownKeys: 'error' }, '', parsed(text))
  const mode = root.child('confine').oneOf('default', CONFINE_MODES)
  root.finish()
  const wrong = diagnostics.list('error', 'warning')
  if (wrong.length > 0) throw brokenError(wrong.map(formatDiagnostic).join('\n'))
  return mode ?? UNSAID
}

/** Says in the file of a supervisor how agents are confined where no line says it. */
export function writeDefaultMode(gcHome: string, mode: ConfineMode): void {
  const text = readText(gcHome) ?? ''
  parsed(text)
  const block = tableOffset(text, ['confine'])
  const changed =
    block === undefined ? addBlock(text, '[confine]', [['default', mode]]) : setKey(text, block, 'default', mode)
  if (changed === undefined) throw brokenError(`${FILE} does not write confine as a [block]; change it there by hand`)
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
