import {
  type Diagnostic,
  type Drafts,
  EditLock,
  FileSnapshot,
  formatDiagnostic,
  keepsChanging,
  toInvalidConfigError,
  writeDrafts,
} from '../files/index.ts'
import type { WriteImports } from './pack-manager.ts'

export interface WriteImportsOptions {
  /** The city's folder. */
  readonly path: string
  /** The errors in the city's files with these drafts in their places. */
  readonly errorsOf: (drafts: Drafts) => readonly Diagnostic[]
  /** Called once something was written. */
  readonly onWritten?: () => unknown
}

const MAX_ATTEMPTS = 8
const NO_DRAFTS: Drafts = new Map()

/** Writes what does not make the city worse: an error that was there before, such as a missing pack, is not an obstacle. */
export const writeImports =
  ({ path, errorsOf, onWritten }: WriteImportsOptions): WriteImports =>
  async (makeDrafts) => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const files = new FileSnapshot(path)
      const drafts = await makeDrafts(files)
      if (drafts.size === 0) return
      if (!(await writeUnlessWorse(path, drafts, errorsOf, files))) continue
      await onWritten?.()
      return
    }
    throw keepsChanging()
  }

/** Fetching takes long, so others write: false, and nothing written, when they changed one of the files. */
async function writeUnlessWorse(
  path: string,
  drafts: Drafts,
  errorsOf: WriteImportsOptions['errorsOf'],
  files: FileSnapshot,
): Promise<boolean> {
  using lock = await EditLock.acquire(path)
  const before = new Set(errorsOf(NO_DRAFTS).map(formatDiagnostic))
  const added = errorsOf(drafts).filter((error) => !before.has(formatDiagnostic(error)))
  if (added.length > 0) throw toInvalidConfigError(added, 'invalid-request')
  return await writeDrafts(lock, drafts, (file) => files.city.text(file))
}
