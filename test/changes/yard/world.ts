import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeCandidate, merge, Yard } from '../../../src/changes/yard/index.ts'
import { GitRunner } from '../../../src/config/git/git-runner.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'

/** A rig with one commit, its remote and a yard, which each test copies. */
async function build(at: (...names: string[]) => string): Promise<void> {
  const [rig, remote] = [at('rig'), at('remote.git')]
  mkdirSync(rig)
  git(at(), 'init', '-q', '--bare', '--template=', '-b', 'main', remote)
  git(rig, 'init', '-q', '--template=', '-b', 'main')
  for (const [key, value] of Object.entries({ 'remote.origin.url': '../remote.git', 'gc.auto': '0' })) {
    git(rig, 'config', key, value)
  }
  writeFileSync(join(rig, 'a.txt'), 'one\ntwo\nthree\n')
  writeFileSync(join(rig, 'b.txt'), 'b\n')
  git(rig, 'add', '-A')
  git(rig, 'commit', '-q', '-m', 'base')
  git(rig, 'push', '-q', 'origin', 'main')
}

let template: Promise<TempFolder> | undefined

async function makeTemplate(): Promise<TempFolder> {
  const folder = tempFolder()
  const deadlines = new Deadlines()
  await build((...names) => folder.at(...names))
  await new Yard(new GitRunner({ deadlines, env }), folder.at('land', 'shop.git')).prepare('sha1')
  deadlines.close()
  process.on('exit', () => folder[Symbol.dispose]())
  return folder
}

/** A rig with a remote, and a yard for it. */
export async function yardWorld() {
  template ??= makeTemplate()
  const folder = tempFolder()
  cpSync((await template).path, folder.path, { recursive: true })
  const deadlines = new Deadlines()
  const runner = new GitRunner({ deadlines, env })
  const rig = folder.at('rig')
  const remote = folder.at('remote.git')
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(rig, file)), { recursive: true })
    writeFileSync(join(rig, file), text)
  }
  const commit = (files: Readonly<Record<string, string>>, message = 'change') => {
    for (const [file, text] of Object.entries(files)) write(file, text)
    git(rig, 'add', '-A')
    git(rig, 'commit', '-q', '--allow-empty', '-m', message)
    return git(rig, 'rev-parse', 'HEAD')
  }
  const base = git(rig, 'rev-parse', 'HEAD')
  const yard = new Yard(runner, folder.at('land', 'shop.git'))
  await yard.prepare('sha1')
  const source = { objects: join(rig, '.git/objects'), read: [rig] }
  return {
    ...{ folder, runner, rig, remote, base, yard, source, commit, write },
    /** Commits on a branch of its own, from a commit, and brings that into the yard. */
    async branch(name: string, from: string, ...commits: Readonly<Record<string, string>>[]) {
      git(rig, 'checkout', '-q', '-B', name, from)
      for (const files of commits) commit(files, `${name}: ${Object.keys(files).join(' ')}`)
      const head = git(rig, 'rev-parse', 'HEAD')
      git(rig, 'checkout', '-q', 'main')
      await yard.adopt(source, [head])
      return head
    },
    async [Symbol.asyncDispose]() {
      deadlines.close()
      folder[Symbol.dispose]()
    },
  }
}

type World = Awaited<ReturnType<typeof yardWorld>>

/** The tree of a merge that has no conflict. */
export const treeOf = async (world: World, tip: string, head: string, landed: string[] = []): Promise<string> => {
  const result = await merge(world.yard, { tip, head, landed })
  if (!('tree' in result)) throw new Error(JSON.stringify(result.conflicts))
  return result.tree
}

/** The commit that lands a branch. */
export const land = async (world: World, tip: string, head: string, landed: string[] = []): Promise<string> =>
  makeCandidate(world.yard, {
    ...{ tip, head, landed, tree: await treeOf(world, tip, head, landed), strategy: 'squash', landing: 'ld-1' },
    ...{ bead: 'mi-1', session: 'mi-2', agent: 'shop/worker', submittedAt: 1000, committedAt: 2000 },
  })

/** An object of the yard, as text. */
export const show = (world: World, object: string): string => git(world.yard.path, 'cat-file', '-p', object)
