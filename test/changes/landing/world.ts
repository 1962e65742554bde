import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { City } from '../../../src/city/city.ts'
import { human } from '../../../src/http/guard.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import { scriptedTown } from '../../support/city.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'

let template: TempFolder | undefined

/** A rig with one commit and its remote, which each test copies. */
function copyTemplate(to: string): void {
  if (!template) {
    const folder = tempFolder()
    template = folder
    process.on('exit', () => folder[Symbol.dispose]())
    const [rig, remote] = [folder.at('shop'), folder.at('remote.git')]
    mkdirSync(rig)
    git(folder.path, 'init', '-q', '--bare', '--template=', '-b', 'main', remote)
    git(rig, 'init', '-q', '--template=', '-b', 'main')
    git(rig, 'config', 'remote.origin.url', '../remote.git')
    writeFileSync(join(rig, 'base.txt'), 'one\ntwo\nthree\n')
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '-m', 'base')
    git(rig, 'push', '-q', 'origin', 'main')
  }
  cpSync(template.path, to, { recursive: true })
}

/** End of a check: with a status, or by `end`, which a test calls. */
export type Judge = (folder: string) => number | 'runs'

type Files = Readonly<Record<string, string>>

interface Options {
  /** Lines of `[rigs.land]`. */
  land?: string
  /** Fails when a file `broken` is there. */
  judge?: Judge
  /** Agents of the city. */
  agents?: string
  /** Variables of the supervisor besides those of all tests. */
  variables?: Readonly<Record<string, string>>
}

const CHECK = 'check = ["./test.sh"]\n'
const failsIfBroken: Judge = (folder) => (readdirSync(folder).some((name) => name.startsWith('broken')) ? 1 : 0)

/** A city with the rig `shop`, which lands on `main` of a remote, and checks that the test judges. */
export async function landingWorld({
  land = `mode = "push"\n${CHECK}`,
  judge = failsIfBroken,
  agents = '',
  variables,
}: Options = {}) {
  const town = scriptedTown()
  const own = { ...env, ...variables }
  copyTemplate(town.folder.path)
  const rig = town.folder.at('shop')
  const remote = town.folder.at('remote.git')
  const declare = (lines: string) =>
    town.declare(`[[rigs]]\nname = "shop"\npath = "${rig}"\n${lines && `[rigs.land]\n${lines}`}${agents}`)
  declare(land)
  const base = git(rig, 'rev-parse', 'main')
  const opened: { city: City } = { city: await town.open({ env: own }) }
  const controls = { judge }
  /** Makes a branch of the rig with one commit for each of these, and returns its head. */
  const branch = (name: string, files: Files | readonly Files[], from = base): string => {
    git(rig, 'checkout', '-q', '-B', name, from)
    for (const each of Array.isArray(files) ? files : [files]) {
      for (const [path, text] of Object.entries<string>(each)) {
        mkdirSync(dirname(join(rig, path)), { recursive: true })
        writeFileSync(join(rig, path), text)
      }
      git(rig, 'add', '-A')
      git(rig, 'commit', '-q', '-m', `${name}: ${Object.keys(each).join(' ')}`)
    }
    const head = git(rig, 'rev-parse', 'HEAD')
    git(rig, 'checkout', '-q', 'main')
    return head
  }
  const submit = async (name: string, bead_id?: string): Promise<string> =>
    (await opened.city.landings.submit(human, 'shop', { branch: name, ...(bead_id && { bead_id }) })).id
  return {
    ...{ town, rig, remote, declare, base, branch, submit },
    clock: town.clock,
    get city(): City {
      return opened.city
    },
    get landings(): City['landings'] {
      return opened.city.landings
    },
    get judge(): Judge {
      return controls.judge
    },
    set judge(next: Judge) {
      controls.judge = next
    },
    /** The number of checks that were run. */
    get checks(): number {
      return town.host.starts.filter(({ key }) => /land\//.test(key)).length
    },
    /** The repository in which gc merges; undefined where there is none. */
    get yard(): string | undefined {
      const folder = join(town.hosts.home, 'land')
      const names = existsSync(folder) ? readdirSync(folder) : []
      return names.filter((name) => name.endsWith('.git')).map((name) => join(folder, name))[0]
    },
    bead: async (title = 'work') => (await opened.city.beads.create(human, { title, rig: 'shop' })).id,
    /** Submits a branch of one commit. */
    send(name: string, files: Files, from?: string): Promise<string> {
      branch(name, files, from)
      return submit(name)
    },
    pause: () => opened.city.landings.pause(human, 'shop'),
    /** Lands what was submitted while it was paused, together. */
    async resume(): Promise<void> {
      await opened.city.landings.whenIdle()
      await opened.city.landings.resume(human, 'shop')
    },
    /** Judges checks until nothing is left to do but wait. */
    async settle(): Promise<void> {
      for (;;) {
        await opened.city.landings.whenIdle()
        const start = town.host.starts.findLast(({ key }) => /land\//.test(key) && town.host.running.includes(key))
        const end = start && controls.judge(start.cwd)
        if (!start || end === 'runs' || end === undefined) return
        await town.host.exit(start.key, end, ['some output'])
      }
    },
    state: (id: string) => opened.city.landings.show(id).state,
    reason: (id: string) => opened.city.landings.show(id).reason,
    /** Subjects of the remote's main, newest first. */
    main: () => git(remote, 'log', '--format=%s', 'main').split('\n'),
    file: (path: string) => git(remote, 'show', `main:${path}`),
    recorded: (since = 0): string[] =>
      opened.city.log
        .after(since, 1000)
        .filter(({ type }) => type.startsWith('land.'))
        .map(({ type }) => type.slice('land.'.length)),
    hook(name: string, script: string): void {
      mkdirSync(join(remote, 'hooks'), { recursive: true })
      writeFileSync(join(remote, 'hooks', name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(remote, 'hooks', name), 0o755)
    },
    unhook: () => rmSync(join(remote, 'hooks'), { recursive: true, force: true }),
    /** Closes the city and opens it again. */
    async reopen(): Promise<void> {
      await opened.city.close({ endSessions: false })
      opened.city = await town.open({ env: own })
    },
    read: (...path: string[]) => readFileSync(join(rig, ...path), 'utf8'),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}
