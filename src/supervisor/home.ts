import { existsSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createFolder, isShared, makePrivate } from '../core/folders.ts'
import { createSecret } from '../core/ids.ts'
import { shellQuote, TOKEN_PREFIX } from '../core/text/index.ts'
import { PRESETS } from '../programs/presets.ts'

/** The address of a running supervisor, as written to `$GC_HOME/supervisor.json`. */
export interface SupervisorAddress {
  url: string
  pid: number
  build: string
  /** The address of the agents' network, when it is served. */
  social?: string
}

/** The paths below one `GC_HOME`. */
export class Home {
  private constructor(readonly path: string) {}

  /** Creates the folder when it is missing; throws where it cannot be gc's alone. */
  static open(path: string): Home {
    const home = new Home(resolve(path))
    createFolder(home.path)
    makePrivate(home.path)
    return home
  }

  /** True for a folder that others use, which cannot be gc's alone. */
  static isShared(path: string): boolean {
    return isShared(path)
  }

  get registry(): string {
    return join(this.path, 'supervisor.db')
  }

  get lock(): string {
    return join(this.path, 'supervisor.lock')
  }

  get bin(): string {
    return join(this.path, 'bin')
  }

  /** Is there while confined programs may run. */
  get confinedMark(): string {
    return join(this.path, 'confined')
  }

  /** The operator's token: created once, readable by its owner only. */
  operatorToken(): string {
    const path = join(this.path, 'token')
    if (existsSync(path)) return readFileSync(path, 'utf8').trim()
    const token = createSecret(TOKEN_PREFIX.operator)
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' })
    return token
  }

  /** Puts `gc` and `bd` in the folder that leads the PATH of every session. */
  link(program: readonly string[]): void {
    createFolder(this.bin)
    const [first = ''] = program
    const binary = program.length === 1 ? realpathSync(first) : undefined
    for (const name of ['gc', 'bd']) {
      const path = join(realpathSync(this.bin), name)
      // A program that lies here itself would become a link to itself.
      if (binary === path) continue
      const fresh = `${path}.new`
      rmSync(fresh, { force: true })
      if (binary !== undefined) symlinkSync(binary, fresh)
      else writeFileSync(fresh, wrapperScript(program, name), { mode: 0o700 })
      renameSync(fresh, path)
    }
    for (const { besideGc = [] } of PRESETS.values()) for (const file of besideGc) this.#putBeside(file)
  }

  #putBeside({ name, text }: { name: string; text: (gc: string) => string }): void {
    const path = join(realpathSync(this.bin), name)
    createFolder(dirname(path))
    rmSync(`${path}.new`, { force: true })
    writeFileSync(`${path}.new`, text(join(this.bin, 'gc')), { mode: 0o600, flag: 'wx' })
    renameSync(`${path}.new`, path)
  }

  writeAddress(address: SupervisorAddress): void {
    const path = join(this.path, 'supervisor.json')
    writeFileSync(`${path}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  }

  removeAddress(): void {
    rmSync(join(this.path, 'supervisor.json'), { force: true })
  }
}

/** Run from source there is no single program to link to: a script passes on the name it was called by. */
const wrapperScript = (program: readonly string[], name: string): string =>
  `#!/bin/sh\nexec ${program.map((word) => shellQuote(word)).join(' ')} ${name === 'bd' ? 'bd ' : ''}"$@"\n`
