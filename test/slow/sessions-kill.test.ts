import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDefaultMode } from '../../src/config/confinement/default-mode.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'

const GC = process.env.GC_BINARY
  ? [process.env.GC_BINARY]
  : [process.execPath, join(import.meta.dir, '../../cli/main.ts')]
const KILLS = Math.min(Number(process.env.GC_KILLS ?? 20), 100)
const BEADS = KILLS * 2

/** Works until there is nothing to do, whatever happens to the supervisor; each bead adds a line to `done`. */
const WORKER = `#!/bin/sh
api() { curl -sf -m 5 -X POST -H "Authorization: Bearer $GC_TOKEN" -H 'X-GC-Request: 1' -H 'Content-Type: application/json' -d '{}' "$GC_URL/v0/city/mill/$1"; }
while :; do
  next=$(api claims/next) || { sleep 0.1; continue; }
  bead=$(echo "$next" | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p')
  if [ -z "$bead" ]; then api "session/$GC_SESSION_ID/drain-ack" && sleep 30; sleep 0.1; continue; fi
  echo "$bead $GC_SESSION_ID" >> "$GC_CITY/done"
  sleep 0.1
  until api "bead/$bead/close" > /dev/null; do sleep 0.1; done
done
`

/** A supervisor in its own process, on a home and a port that do not change. */
class Town implements AsyncDisposable {
  #process: Bun.Subprocess<'ignore', 'pipe', Bun.BunFile> | undefined
  /** Below the ephemeral ports: an outgoing connection could otherwise take the supervisor's port. */
  #port = String(20_000 + Math.floor(Math.random() * 10_000))

  private constructor(private readonly folder: TempFolder) {}

  static async open(): Promise<Town> {
    const folder = tempFolder()
    mkdirSync(folder.at('mill'))
    writeFileSync(folder.at('mill', 'worker.sh'), WORKER)
    chmodSync(folder.at('mill', 'worker.sh'), 0o755)
    const agent = 'name = "worker"\nstart_command = "./worker.sh"\nmax_active_sessions = 3\n'
    writeFileSync(folder.at('mill', 'city.toml'), `[workspace]\nname = "mill"\nprefix = "mi"\n[[agent]]\n${agent}`)
    writeDefaultMode(folder.at('home'), 'off')
    const town = new Town(folder)
    await town.up()
    await town.post('/v0/city/register', { path: folder.at('mill') })
    return town
  }

  get #env() {
    return { ...process.env, GC_HOME: this.folder.at('home'), GC_URL: undefined, GC_TOKEN: undefined }
  }

  async up(): Promise<void> {
    const argv = [...GC, 'serve', '--port', this.#port]
    const child = Bun.spawn(argv, {
      cwd: this.folder.path,
      env: this.#env,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: Bun.file(this.folder.at('serve.log')),
    })
    this.#process = child
    let stdout = ''
    for await (const chunk of child.stdout) {
      stdout += new TextDecoder().decode(chunk)
      if (stdout.includes(`127.0.0.1:${this.#port}`)) return
    }
    throw new Error(`gc serve ended: ${readFileSync(this.folder.at('serve.log'), 'utf8')}`)
  }

  async kill(): Promise<void> {
    this.#process?.kill('SIGKILL')
    await this.#process?.exited
  }

  async post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const headers = { 'x-gc-request': '1', 'content-type': 'application/json' }
    for (let tries = 0; ; tries++) {
      const answer = await fetch(this.#url(path), { method: 'POST', headers, body: JSON.stringify(body) }).catch(
        () => undefined,
      )
      if (answer?.ok) return (await answer.json()) as Record<string, unknown>
      if (tries > 200) throw new Error(`${path} was never taken: ${await answer?.text()}\n${this.#state()}`)
      await Bun.sleep(50)
    }
  }

  async get(path: string): Promise<Record<string, unknown>> {
    const answer = await fetch(this.#url(path)).catch(() => undefined)
    return answer?.ok ? ((await answer.json()) as Record<string, unknown>) : {}
  }

  /** The beads that were worked on and by whom, in order. */
  done(): string[] {
    const file = this.folder.at('mill', 'done')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }

  /** Diagnostics for a supervisor that does not respond. */
  #state(): string {
    const { pid, exitCode, signalCode } = this.#process ?? {}
    return `pid ${pid}, ended ${exitCode ?? signalCode}: ${readFileSync(this.folder.at('serve.log'), 'utf8')}`
  }

  #url = (path: string) => `http://127.0.0.1:${this.#port}${path}`

  async [Symbol.asyncDispose](): Promise<void> {
    const stop = Bun.spawn([...GC, 'down'], {
      cwd: this.folder.at('mill'),
      env: this.#env,
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await stop.exited
    await this.kill()
    this.folder[Symbol.dispose]()
  }
}

describe('a supervisor that is killed at random', () => {
  test(
    `${KILLS} times leaves no bead forgotten, and none is worked on twice`,
    async () => {
      await using town = await Town.open()
      for (let at = 0; at < KILLS; at++) {
        await town.post('/v0/city/mill/beads', { title: `a ${at}`, metadata: { 'gc.routed_to': 'worker' } })
        await town.post('/v0/city/mill/beads', { title: `b ${at}`, metadata: { 'gc.routed_to': 'worker' } })
        await Bun.sleep(Math.random() * 400)
        await town.kill()
        await town.up()
      }
      for (let waited = 0; waited < 600; waited++) {
        const { total } = await town.get('/v0/city/mill/beads?status=closed&type=task')
        if (total === BEADS) break
        await Bun.sleep(100)
      }
      expect(await town.get('/v0/city/mill/beads?status=closed&type=task&limit=1')).toMatchObject({ total: BEADS })
      const beads = town.done().map((line) => line.split(' ')[0])
      expect(beads.filter((bead, at) => beads.indexOf(bead) !== at)).toEqual([])
      expect(new Set(beads).size).toBe(BEADS)
      const events = (await town.get('/v0/city/mill/events?limit=1000')).items as { type: string }[]
      expect(events.filter(({ type }) => type === 'session.crashed')).toEqual([])
      expect(events.filter(({ type }) => type === 'bead.dead_assignee_reopened')).toEqual([])
    },
    Math.max(300_000, KILLS * 5_000),
  )
})
