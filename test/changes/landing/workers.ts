import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { landingWorld } from './world.ts'

/** Small changes land without a person. */
export const AUTO = 'mode = "push"\ncheck = ["./test.sh"]\nauto = { check = "green", max_lines = 200 }\n'

const AGENTS = `
[[agent]]
name = "worker"
dir = "shop"
start_command = "true"
worktree = true
session = "acp"
`

/** Writes a file in a worktree and commits it. */
export function commit(folder: string, files: Record<string, string>, message = Object.keys(files).join(' ')): string {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', message)
  return git(folder, 'rev-parse', 'HEAD')
}

/** A landing world with workers that have worktrees. */
export async function workersWorld(land = AUTO) {
  const world = await landingWorld({ land, agents: AGENTS })
  const callerOf = (session: string) => {
    const row = world.city.sessionRepository.get(session)
    const names = [row.id, row.sessionName, row.agentName]
    const rest = { names, agent: row.template, declaredIn: 'city.toml', may: [] }
    return { kind: 'session' as const, city: world.city.name, session, ...rest }
  }
  return Object.assign(world, {
    callerOf,
    prompts: () => world.town.host.prompts.map(({ text }) => text),
    /** A session that claims a bead. */
    async claimed(given?: string) {
      const { city } = world
      const draft = { title: 'work', rig: 'shop', metadata: { 'gc.routed_to': 'shop/worker' } }
      const bead = given ?? (await city.store.write((tx) => city.beadRepository.add(tx, draft))).id
      await city.reconciler.settle()
      const row = city.sessionRepository.liveByTemplate('shop/worker').find((session) => session.work === bead)
      if (!row) throw new Error(`no session was started for ${bead}`)
      const caller = callerOf(row.id)
      await city.claims.claim(caller, bead)
      return { id: row.id, bead, path: row.workDir, hostKey: row.hostKey ?? '', caller }
    },
    /** Ends a session, so that another begins for the next bead. */
    async end({ id }: { id: string }) {
      await world.city.sessions.running.close(id, human)
      await world.city.reconciler.settle()
    },
    /** Adds a person's commit to the remote's main. */
    person(files: Record<string, string>): string {
      const head = world.branch('main', files, 'main')
      git(world.rig, 'push', '-q', 'origin', 'main')
      return head
    },
  })
}
