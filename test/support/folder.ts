import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of one test: `using folder = tempFolder()`, or `await using`; removed when the test leaves its scope. */
export interface TempFolder extends Disposable, AsyncDisposable {
  readonly path: string
  /** A path inside: `folder.at('city', '.gc')`. */
  at(...names: string[]): string
}

const MEMORY = '/dev/shm'
const ENOUGH = 2 * 1024 ** 3

/** Tests of modules write to memory, so that none waits for a disk; those of the compiled binary write to a disk. */
const ROOT = process.env.GC_BINARY === undefined && isLargeAndRunsPrograms(MEMORY) ? MEMORY : tmpdir()

function isLargeAndRunsPrograms(folder: string): boolean {
  const mounts = existsSync('/proc/self/mounts') ? readFileSync('/proc/self/mounts', 'utf8').split('\n') : []
  const mount = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === folder)
  if (!mount || mount[3]?.split(',').includes('noexec')) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > ENOUGH
}

export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(ROOT, 'gc-test-')))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 3 })
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: remove,
    [Symbol.asyncDispose]: async () => remove(),
  }
}
