import { rmSync, writeFileSync } from 'node:fs'
import type { TempFolder } from '../support/folder.ts'

/** Kills a program right after one of its writes is on disk; see kill-on-sync.c. */
export class KillOnSync {
  readonly env: Record<string, string>
  readonly #control: string

  constructor(folder: TempFolder) {
    const library = folder.at('kill-on-sync.so')
    const source = `${import.meta.dir}/kill-on-sync.c`
    const compiled = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
    if (compiled.exitCode !== 0) throw new Error(`the killer did not compile: ${compiled.stderr}`)
    this.#control = folder.at('killing')
    this.env = { LD_PRELOAD: library, KILLING: this.#control }
  }

  /** Ends the program after the sync with this number, from 1 to 9, of a file with `part` in its path. */
  arm(sync: number, part: string): void {
    writeFileSync(this.#control, `${sync} ${part}`)
  }

  /** True if the program was ended; it is not ended any more. */
  disarm(): boolean {
    try {
      rmSync(this.#control)
      return false
    } catch {
      return true
    }
  }
}
