import type { CityDeclarations } from '../../city/index.ts'
import type { ConfineMode, LayerInfo } from '../../declare/index.ts'
import type { Diagnostics, FileSnapshot } from '../../files/index.ts'
import type { PackFolders } from '../../packs/index.ts'

export interface LayerContext {
  readonly files: FileSnapshot
  readonly diagnostics: Diagnostics
  /** Folder of imported packs that are not local. */
  readonly folders: PackFolders
  /** Default sandbox of agents that declare none. */
  readonly defaultConfine: ConfineMode
}

/**
 * One step of the composition: it reads files and merges what they declare over what lower layers declare, or it
 * changes what those declare. A layer is pure over the snapshot of files.
 */
export interface Layer extends LayerInfo {
  apply(lower: CityDeclarations, context: LayerContext): CityDeclarations
}
