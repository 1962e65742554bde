import type { LayerInfo } from '../declare/origin.ts'
import { SectionReader } from '../declare/section-reader.ts'
import type { Diagnostics, Severity } from '../diagnostics/diagnostics.ts'
import { emptyTable, parseToml, TomlSyntaxError, type TomlTable } from '../toml/parse.ts'

export interface FileOptions {
  readonly layer: LayerInfo
  readonly diagnostics: Diagnostics
  readonly file: string
  /** Undefined when there is no such file. */
  readonly text: string | undefined
  /** What a key is that gc does not know. */
  readonly unknownKeys: Exclude<Severity, 'error'>
  /** What the top of the file is called in the table of keys without effect. */
  readonly kind: string
}

/** A reader for the top of a file; a missing file, and one that is not TOML, reads as an empty one. */
export function openFile({ text, kind, ...context }: FileOptions): SectionReader {
  return new SectionReader(context, '', parse(context, text), kind)
}

function parse({ diagnostics, file }: Pick<FileOptions, 'diagnostics' | 'file'>, text: string | undefined): TomlTable {
  if (text === undefined) return emptyTable()
  try {
    return parseToml(text)
  } catch (error) {
    if (!(error instanceof TomlSyntaxError)) throw error
    diagnostics.error({ file, line: error.line, key: '' }, `is not TOML: ${error.message}`)
    return emptyTable()
  }
}
