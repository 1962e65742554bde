import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { PROGRAM, World } from '../support/world.ts'

/** The user for whom files are inaccessible when the tests run as root, who can open any file. */
const NOBODY = 65534
const ROOT = process.getuid?.() === 0
const STEP_DOWN = ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

/** The checkout may be inaccessible to the other user, so its programs are copied to where they can be started. */
const folder = tempFolder()

function copy(program: string): string {
  const path = folder.at(basename(program))
  copyFileSync(program, path)
  chmodSync(path, 0o755)
  return path
}

beforeAll(() => chmodSync(folder.path, 0o755))
afterAll(() => folder[Symbol.dispose]())

describe('a user without permission', () => {
  test('gets an error with the reason when a city is created in a folder that is not writable', async () => {
    const [program = ''] = PROGRAM
    await using world = await World.openAs(STEP_DOWN, [copy(program)], ROOT ? NOBODY : (process.getuid?.() ?? 0))
    const closed = world.folder.at('closed')
    mkdirSync(closed)
    chmodSync(closed, 0o555)
    const { status, body } = await world.call('POST /v0/city', { body: { dir: `${closed}/city` } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.detail).toContain('permission')
    expect(existsSync(`${closed}/city`)).toBe(false)
    expect((await world.call('GET /v0/cities')).body.total).toBe(0)
  })

  test('gets an error with the reason when a database is opened in a folder that is not writable', async () => {
    mkdirSync(folder.at('closed'), { mode: 0o555 })
    const source = join(import.meta.dir, '../core/children/open-close.ts')
    const built = await Bun.build({ entrypoints: [source], target: 'bun', outdir: folder.path })
    const [script] = built.outputs
    const child = Bun.spawn([...STEP_DOWN, copy(process.execPath), script?.path ?? '', folder.at('closed', 'a.db')], {
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 10_000,
    })
    const output = await child.stdout.text()
    expect(output).toContain('closed/a.db cannot be written')
    expect(output).toContain('check the owner and permissions of its folder')
  })
})
