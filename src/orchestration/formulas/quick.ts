import type { FormulaFiles } from './formula-files.ts'

/** Limits of compiling on the event loop: characters of files, and steps. */
const QUICK_LENGTH = 24_000
const QUICK_STEPS = 250

/** A formula takes too long to compile on the event loop. */
export class TooSlow extends Error {
  override readonly name = 'TooSlow'
}

/** Files to compile quickly: beyond the limit, {@link TooSlow} is thrown. */
export function quickly(files: FormulaFiles & { textOf(name: string): string | undefined }): FormulaFiles {
  const read = new Set<string>()
  let length = 0
  return {
    capabilities: files.capabilities,
    folders: files.folders,
    maxQuickSteps: QUICK_STEPS,
    fileOf: (name) => files.fileOf(name),
    names: () => files.names(),
    asset: (file, path) => files.asset(file, path),
    formula(name) {
      if (!read.has(name)) length += files.textOf(name)?.length ?? 0
      read.add(name)
      if (length > QUICK_LENGTH) throw new TooSlow(`${name} is long`)
      return files.formula(name)
    },
  }
}
