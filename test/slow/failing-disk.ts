import { writeFileSync } from 'node:fs'
import type { TempFolder } from '../support/folder.ts'

/** A disk whose syncs or writes fail on demand; see failing-disk.c. */
export class FailingDisk {
  readonly env: Record<string, string>
  readonly #control: string

  constructor(folder: TempFolder) {
    const library = folder.at('failing-disk.so')
    const source = `${import.meta.dir}/failing-disk.c`
    const compiled = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-Wall', '-o', library, source, '-ldl'])
    if (compiled.exitCode !== 0) throw new Error(`the failing disk did not compile: ${compiled.stderr}`)
    this.#control = folder.at('failing')
    this.env = { LD_PRELOAD: library, FAILING: this.#control }
  }

  /** Fails every write to files with this in their path with an error number of the system. */
  rejectWrites(errno: number, part: string): void {
    writeFileSync(this.#control, `${errno} ${part}`)
  }

  /** Fails every sync of files with this in their path; an empty text fails none. */
  fail(part: string): void {
    writeFileSync(this.#control, part)
  }
}
