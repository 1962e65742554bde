import { expect } from 'bun:test'
import { openSync, writeSync } from 'node:fs'
import type { TempFolder } from '../support/folder.ts'
import { PROGRAM, type World } from '../support/world.ts'

/** A wall clock that can be set, for every process started with its environment; see clock.c. */
export class WallClock {
  readonly env: Record<string, string>
  readonly #file: number

  constructor(folder: TempFolder) {
    const library = folder.at('clock.so')
    const source = `${import.meta.dir}/clock.c`
    const made = Bun.spawnSync(['cc', '-shared', '-fPIC', '-O2', '-Wall', '-o', library, source, '-ldl'])
    if (made.exitCode !== 0) throw new Error(`the clock did not compile: ${made.stderr}`)
    this.#file = openSync(folder.at('clock'), 'w')
    this.set(0)
    this.env = { LD_PRELOAD: library, CLOCK: folder.at('clock') }
  }

  /** Sets the offset from the true time, in milliseconds. */
  set(ms: number): void {
    writeSync(this.#file, new BigInt64Array([BigInt(ms)]), 0, 8, 0)
  }
}

/** Restarts the supervisor with a session host on the same clock: a host does not inherit our environment. */
export async function underClock(world: World, clock: WallClock): Promise<void> {
  const { version, build_id } = (await world.call('GET /health')).body
  const build = [version, build_id].filter(Boolean).join('-')
  await world.kill()
  const env = { PATH: process.env.PATH, GC_HOME: world.home, GC_HOST_BUILD: build, ...clock.env }
  const fresh = Bun.spawn([...PROGRAM, 'host'], { env, stdout: 'pipe', detached: true })
  fresh.unref()
  for await (const chunk of fresh.stdout) if (new TextDecoder().decode(chunk).startsWith('ready')) break
  await world.start()
  expect((await world.call('GET /v0/host')).body.items).toMatchObject([{ build, sessions: 0, pid: fresh.pid }])
}
