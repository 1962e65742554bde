import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claude, codex, gemini, type Program } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(120_000)

/** Gemini with trust in folders, as people have it. */
const trusting: Program = {
  ...gemini,
  env(folder, model, works) {
    const env = gemini.env(folder, model, works)
    const file = join(folder.at('home'), '.gemini', 'settings.json')
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('"folderTrust":{"enabled":false}', '"folderTrust":{"enabled":true}'),
    )
    const trusted = Object.fromEntries(works.slice(1).map((path) => [path, 'TRUST_FOLDER']))
    writeFileSync(join(folder.at('home'), '.gemini', 'trustedFolders.json'), JSON.stringify(trusted))
    return env
  },
}

const pool = ({ provider }: Program) => `
[[agent]]
name = "worker"
dir = "web"
provider = "${provider}"
worktree = true
max_active_sessions = 2
`

test.each([claude, codex, trusting].map((program): [string, Program] => [program.provider, program]))(
  '%s asks nothing about the worktrees of a rig that its user trusts',
  async (_, program) => {
    await using town = await openTown(
      ({ results }) => (results.length > 0 ? { text: 'Done.' } : program.shell('pwd')),
      '',
      program,
    )
    await town.run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--allow-empty', '-qm', 'x')
    await town.declare(pool(program))
    for (const title of ['one', 'two']) {
      const { id } = JSON.parse(await town.gc('bead', 'create', title, '--rig', 'web', '--json'))
      await town.gc('sling', 'web/worker', id)
    }
    const folders = () =>
      new Set(
        town.model.conversations.flatMap(({ results }) => /\/worktrees\/web\/[\w.-]+/.exec(results[0] ?? '') ?? []),
      )
    await eventually(() => folders().size === 2)
    expect(await town.gc('events', '--json')).not.toContain('"session.asked"')
  },
)

/** Programs whose user trusts no folder. */
const strange = (program: Program): Program => ({
  ...program,
  env(folder, model) {
    const env = program.env(folder, model, [])
    if (program === trusting) writeFileSync(join(folder.at('home'), '.gemini', 'trustedFolders.json'), '{}')
    return env
  },
})

test.each([claude, codex, trusting].map((program): [string, Program] => [program.provider, program]))(
  '%s asks nothing in a rig that is trusted by gc, nor in its worktrees',
  async (_, program) => {
    await using town = await openTown(
      ({ results }) => (results.length > 0 ? { text: 'Done.' } : program.shell('pwd')),
      '',
      strange(program),
    )
    await town.run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--allow-empty', '-qm', 'x')
    await town.gc('rig', 'trust', 'web')
    await town.declare(
      ['true', 'false']
        .map((worktree) =>
          pool(program).replace('"worker"', `"w-${worktree}"`).replace('worktree = true', `worktree = ${worktree}`),
        )
        .join(''),
    )
    for (const agent of ['w-true', 'w-false']) {
      const { id } = JSON.parse(await town.gc('bead', 'create', 'one', '--rig', 'web', '--json'))
      await town.gc('sling', `web/${agent}`, id)
    }
    const folders = () =>
      new Set(town.model.conversations.flatMap(({ results }) => /\/(?:worktrees\/)?web\b/.exec(results[0] ?? '') ?? []))
    await eventually(() => folders().size === 2)
    expect(await town.gc('events', '--json')).not.toContain('"session.asked"')
  },
)
