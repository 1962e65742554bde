import { type CityConfig, type CityDeclarations, NO_DECLARATIONS } from '../city/index.ts'
import type { ConfineMode } from '../declare/index.ts'
import { type Diagnostic, Diagnostics, type FileSnapshot } from '../files/index.ts'
import { isOrderFile } from '../orders/index.ts'
import type { PackFolders } from '../packs/index.ts'
import type { Layer } from './layers/layer.ts'
import { LAYERS } from './layers/layers.ts'
import { resolveCity } from './resolve/city.ts'

/** Result of composing the files of a city. With errors in it, the configuration is not for use. */
export interface Composition {
  readonly files: FileSnapshot
  readonly declarations: CityDeclarations
  readonly config: CityConfig
  readonly errors: readonly Diagnostic[]
  /** Errors that disable only a part, such as one service. */
  readonly broken: readonly Diagnostic[]
  /** Problems reported when the files load, including broken parts. */
  readonly warnings: readonly Diagnostic[]
  /** The same, and what is shown only where the files are checked. */
  readonly allWarnings: readonly Diagnostic[]
}

export interface ComposeOptions {
  readonly layers?: readonly Layer[]
  /** Folder of fetched packs; without it, only packs in local folders exist. */
  readonly folders?: PackFolders
  /** Default sandbox of agents that declare none; none when absent. */
  readonly defaultConfine?: ConfineMode
  /** File of the last good configuration, relative to the city; none when absent. */
  readonly lastGoodFile?: string
}

const NO_FOLDERS: PackFolders = { checkouts: '/nonexistent', builtins: '/nonexistent' }

/** Applies the layers in their order to a snapshot of files, and resolves what they declare. */
export function compose(
  files: FileSnapshot,
  { layers = LAYERS, folders = NO_FOLDERS, defaultConfine = 'off' }: ComposeOptions = {},
): Composition {
  const diagnostics = new Diagnostics()
  const context = { files, diagnostics, folders, defaultConfine }
  const declarations = layers.reduce((lower, layer) => layer.apply(lower, context), NO_DECLARATIONS)
  const config = resolveCity(declarations, context)
  for (const { unreadable } of files.roots) {
    for (const { file, message } of unreadable) {
      if (!isOrderFile(file)) diagnostics.error({ file, line: 1, key: '' }, message)
    }
  }
  return {
    ...{ files, declarations, config, errors: diagnostics.list('error'), broken: diagnostics.list('broken') },
    ...{ warnings: diagnostics.list('warning', 'broken'), allWarnings: diagnostics.list('warning', 'lint') },
  }
}
