import { emptyTable, type TomlTable } from '../../core/toml/index.ts'
import type { Diagnostics, ParsedFile, Severity } from '../files/index.ts'
import type { LayerInfo, PackReference } from './origin.ts'
import { SectionReader } from './section-reader.ts'

export interface FileOptions {
  readonly layer: LayerInfo
  readonly diagnostics: Diagnostics
  readonly file: string
  /** Undefined when there is no such file. */
  readonly toml: ParsedFile | undefined
  /** Severity of an unknown key. */
  readonly unknownKeys: Severity
  /** The folder that its paths are relative to; its own when absent. */
  readonly base?: string | undefined
  /** The pack that it belongs to, if not to the city itself. */
  readonly pack?: PackReference | undefined
  /** Name of the top of the file in the table of keys without effect. */
  readonly kind: string
}

/** A reader for the top of a file; a missing file, and one that is not TOML, reads as an empty one. */
export function openFile({ toml, kind, ...context }: FileOptions): SectionReader {
  return new SectionReader(context, '', tableOf(context, toml), kind)
}

function tableOf(
  { diagnostics, file }: Pick<FileOptions, 'diagnostics' | 'file'>,
  toml: ParsedFile | undefined,
): TomlTable {
  if (toml === undefined) return emptyTable()
  if ('table' in toml) return toml.table
  diagnostics.error({ file, line: toml.error.line, key: '' }, `is not TOML: ${toml.error.message}`)
  return emptyTable()
}
