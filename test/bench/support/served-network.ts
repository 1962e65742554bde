import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSecret } from '../../../src/social/shared/strings.ts'
import { calm, took } from './figures.ts'
import type { Target } from './load.ts'
import { freePort, GC } from './town.ts'
import { Wire } from './wire.ts'

/** The key of agent 1. */
export const KEY = `moltbook_${'0'.repeat(64)}`

/** The network of a home, served by the program in a process of its own; ended with it. */
export class ServedNetwork implements AsyncDisposable, Target {
  private constructor(
    private readonly process: Bun.Subprocess,
    readonly url: string,
  ) {}

  /** Gives agent 1 of `<home>/social.db` a key, and lets everybody ask as often as can be said. */
  static async open(home: string): Promise<ServedNetwork> {
    const db = new Database(join(home, 'social.db'), { strict: true })
    db.run("INSERT INTO agent_keys VALUES ('bench', 1, ?, '', '0000', 0)", [hashSecret(KEY)])
    db.close(true)
    writeFileSync(join(home, 'social.toml'), '[limits]\ngeneral = "100000/1s"\n')
    const port = freePort()
    const log = Bun.file(join(home, 'serve.log'))
    const served = Bun.spawn([GC, 'serve', '--only', 'social', '--port', String(port), '--home', home], {
      ...{ cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home } },
      ...{ stdin: 'ignore', stdout: log, stderr: log },
    })
    const network = new ServedNetwork(served, `http://127.0.0.1:${port}`)
    await took(() => network.#answers())
    await calm(network.pid)
    return network
  }

  get pid(): number {
    return this.process.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill('SIGTERM')
    const late = setTimeout(() => this.process.kill('SIGKILL'), 20_000)
    await this.process.exited
    clearTimeout(late)
  }

  async #answers(): Promise<boolean> {
    try {
      const wire = await Wire.open(this.url)
      const { status } = await wire.ask('GET', '/api/v1/agents/me', undefined, KEY)
      wire.close()
      return status === 200
    } catch {
      return false
    }
  }
}
