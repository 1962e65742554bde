import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of one test: `using folder = tempFolder()`, or `await using`; removed when the test leaves its scope. */
export interface TempFolder extends Disposable, AsyncDisposable {
  readonly path: string
  /** A path inside: `folder.at('city', '.gc')`. */
  at(...names: string[]): string
}

export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'gc-test-')))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: remove,
    [Symbol.asyncDispose]: async () => remove(),
  }
}
