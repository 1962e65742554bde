import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { confinedTown } from './confined-town.ts'

const FORMULA = `formula = "checked"
[requires]
formula_compiler = ">=2.0.0"
[[steps]]
id = "do"
title = "Do it"
[steps.check]
max_attempts = 1
[steps.check.check]
path = ".gc/scripts/checks/look.sh"
timeout = "20s"
`
/** Uses what a pack has beside it, git where the agent worked, gc, and the folder for what it hands on. */
const CHECK = `#!/bin/sh
set -eu
. "$GC_CITY_PATH/.gc/scripts/checks/common.sh"
check_common
git status --short > "$GC_ARTIFACT_DIR/status"
gc bd show "$GC_BEAD_ID" > "$GC_ARTIFACT_DIR/bead"
touch "$GC_CITY_PATH/pwned" 2> /dev/null || echo "home $HOME" > "$GC_ARTIFACT_DIR/refused"
`
/** Claims a step, has git run a program of its own in its folder from now on, does \`more\`, and closes the step. */
const worker = (
  more = '',
) => `until gc hook --claim --json 2> /dev/null > claimed && grep -q bead_id claimed; do sleep 0.2; done
id=$(sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p' claimed)
printf '#!/bin/sh\\necho ran >> "%s/ran"\\ntouch "%s/pwned"\\n' "$GC_DIR" "$GC_CITY_PATH" > evil; chmod +x evil
git config core.fsmonitor "$GC_DIR/evil"
${more}
gc bd update "$id" --status closed --set-metadata gc.outcome=pass > closed 2>&1; sleep 600`

const agent = (name: string, confine: string, more: string, script: string) => `[[agent]]
name = "${name}"
dir = "demo"
max_active_sessions = 1
confine = ${confine}
${more}
start_command = '''${script}'''
[[named_session]]
template = "${name}"
scope = "rig"
mode = "always"
`

/** A town whose \`smith\` is slung the formula; how its run ended, and what its check left. */
async function checked(toml: string) {
  const it = await confinedTown(toml, (path) => {
    mkdirSync(join(path, '.gc/scripts/checks'), { recursive: true })
    writeFileSync(join(path, 'formulas/checked.toml'), FORMULA)
    writeFileSync(join(path, '.gc/scripts/checks/look.sh'), CHECK, { mode: 0o755 })
    writeFileSync(join(path, '.gc/scripts/checks/common.sh'), 'check_common() { :; }\n')
  })
  const { body } = await it.call('POST ~/sling', { body: { target: 'demo/smith', formula: 'checked' } })
  const read = async () => (await it.call(`GET ~/runs/${body.root_bead_id}`)).body
  const run = await eventually('the run is over', 30_000, read, ({ status }) =>
    ['completed', 'failed'].includes(status),
  )
  const artifacts = join(it.path, '.gc/molecules', body.root_bead_id, 'artifacts')
  const [attempt = ''] = readdirSync(artifacts)
  const session = (await it.call('GET ~/sessions')).body.items.find(
    ({ template }: { template: string }) => template === 'demo/smith',
  )
  return {
    it,
    status: run.status,
    error: run.last_error?.message,
    isPwned: existsSync(join(it.path, 'pwned')),
    left: (name: string) => readFileSync(join(artifacts, attempt, name), 'utf8').trim(),
    ran: () => readFileSync(join(session.work_dir, 'ran'), 'utf8').trim(),
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  }
}

describe('the check of a step that a confined session worked on', () => {
  test('runs as confined as the session, with its script, gc, git and the folder for its artifacts', async () => {
    await using run = await checked(agent('smith', '"default"', 'worktree = true', worker()))
    const { it, status, error, isPwned, left, ran } = run
    expect({ status, error, isPwned }).toEqual({ status: 'completed', error: undefined, isPwned: false })
    expect(ran()).toStartWith('ran')
    expect(left('status')).toContain('claimed')
    expect(left('bead')).toContain('Do it')
    expect(left('refused')).toStartWith(`home ${join(it.path, '.gc/confined')}`)
    const folders = async () => readdirSync(join(it.path, '.gc/confined'))
    const sessions: { id: string }[] = (await it.call('GET ~/sessions')).body.items
    await eventually('its private folder is gone', 5_000, folders, (found) =>
      found.every((name) => sessions.some(({ id }) => id === name)),
    )
  })

  test('is not freed of that by a session that names another as the one that worked there', async () => {
    const other = `until [ -n "$other" ]; do other=$(gc session list --json | sed -n 's/.*"id":"\\([^"]*\\)"[^{]*"template":"demo.free".*/\\1/p'); sleep 0.2; done
gc bd update "$id" --set-metadata gc.session_id="$other" --set-metadata gc.work_dir="$GC_DIR" > named 2>&1`
    const free = agent('free', '"off"', 'worktree = true', 'sleep 600')
    await using run = await checked(`${agent('smith', '"default"', 'worktree = true', worker(other))}${free}`)
    expect({ status: run.status, error: run.error, isPwned: run.isPwned }).toEqual({
      ...{ status: 'completed', error: undefined, isPwned: false },
    })
  })

  test('runs as you do where its agent is not confined', async () => {
    await using run = await checked(agent('smith', '"off"', 'worktree = true', worker()))
    expect({ status: run.status, isPwned: run.isPwned }).toEqual({ status: 'completed', isPwned: true })
  })
})

describe('scale_check and sling_query of a confined agent', () => {
  const line = `git status > /dev/null 2>&1; touch "$GC_CITY_PATH/pwned" 2> /dev/null; gc bd ready > /dev/null && echo 1`
  const plant = (path: string) => {
    const evil = join(path, '../demo/evil')
    writeFileSync(evil, `#!/bin/sh\ntouch "${path}/pwned"\n`, { mode: 0o755 })
    Bun.spawnSync(['git', 'config', 'core.fsmonitor', evil], { cwd: join(path, '../demo') })
  }
  const pool = (confine: string, more: string) => `[[agent]]
name = "hand"
dir = "demo"
confine = ${confine}
max_active_sessions = 1
${more}
start_command = "touch done; sleep 600"
`

  test('read the folder of the rig, reach gc, and change nothing', async () => {
    await using it = await confinedTown(pool('"default"', `scale_check = '''${line}'''`), plant)
    const sessions = async () => (await it.call('GET ~/sessions')).body.items
    await eventually('its check asked for a session', 20_000, sessions, ({ length }) => length === 1)
    expect(existsSync(join(it.path, 'pwned'))).toBe(false)
  })

  test('take a bead of the rig, as confined', async () => {
    const query = `${line} && gc bd update {} --set-metadata gc.routed_to=demo/hand`
    await using it = await confinedTown(pool('"default"', `sling_query = '''${query}'''`), plant)
    const { id } = (await it.call('POST ~/beads', { body: { title: 'oil', rig: 'demo' } })).body
    const slung = await it.call('POST ~/sling', { body: { target: 'demo/hand', bead: id } })
    expect(slung.status).toBe(200)
    expect((await it.call(`GET ~/bead/${id}`)).body.metadata['gc.routed_to']).toBe('demo/hand')
    expect(existsSync(join(it.path, 'pwned'))).toBe(false)
  })

  test('run as you do where their agent is not confined', async () => {
    await using it = await confinedTown(pool('"off"', `scale_check = '''${line}'''`), plant)
    await eventually('its check ran', 20_000, async () => existsSync(join(it.path, 'pwned')), Boolean)
  })
})
