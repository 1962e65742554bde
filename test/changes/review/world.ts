import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { env, git } from '../../agents/worktrees/git.ts'
import { scriptedTown } from '../../support/city.ts'

export { git }

/** Writes a file and commits it. */
export function commit(folder: string, file: string, text: string, message = file): string {
  writeFileSync(join(folder, file), text)
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', message)
  return git(folder, 'rev-parse', 'HEAD')
}

/** A city with a rig that is a repository, whose workers have worktrees; `clerk` works in the rig itself. */
export async function reviewWorld() {
  const town = scriptedTown()
  const rig = town.folder.at('shop')
  mkdirSync(rig)
  git(rig, 'init', '-q', '-b', 'main')
  commit(rig, 'README', 'hello\n')
  town.declare(`[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nstart_command = "true"\nworktree = true\nsession = "acp"
[[agent]]\nname = "clerk"\ndir = "shop"\nstart_command = "true"\nsession = "acp"\n`)
  let city = await town.open({ env })
  /** A session that claims a new bead. */
  const claimed = async (agent = 'worker', bead?: string) => {
    const { store, beadRepository, reconciler, sessionRepository, claims } = city
    const draft = { title: 'oil the mill', rig: 'shop', metadata: { 'gc.routed_to': `shop/${agent}` } }
    const work = bead ?? (await store.write((tx) => beadRepository.add(tx, draft))).id
    await reconciler.settle()
    const row = sessionRepository.liveByTemplate(`shop/${agent}`).find((session) => session.work === work)
    if (!row) throw new Error(`no session was started for ${work}`)
    const caller = callerOf(row.id)
    await claims.claim(caller, work)
    return { id: row.id, bead: work, path: row.workDir, hostKey: row.hostKey ?? '', caller }
  }
  const callerOf = (session: string) => {
    const row = city.sessionRepository.get(session)
    const names = [row.id, row.sessionName, row.agentName]
    const rest = { names, agent: row.template, declaredIn: 'city.toml', may: [] }
    return { kind: 'session' as const, city: 'mill', session, ...rest }
  }
  const settle = async () => {
    for (let round = 0; round < 3; round++) {
      await city.reactions.whenIdle()
      await city.changeTracker.whenIdle()
    }
  }
  return {
    ...town,
    rig,
    claimed,
    callerOf,
    settle,
    get city() {
      return city
    },
    async reopen() {
      await city.close({ endSessions: false })
      city = await town.open({ env })
    },
    /** Closes the bead of a session, and decides whether its change is ready. */
    async close({ bead }: { bead: string }) {
      await city.store.write((tx) => void city.beadRepository.close(tx, bead))
      await settle()
    },
    async end({ id }: { id: string }) {
      await city.sessions.running.close(id, human)
      await settle()
    },
    recorded: (head = 0) =>
      city.log
        .after(head, 1000)
        .filter(({ type }) => type.startsWith('change.'))
        .map(({ type, payload, actor }) => ({ type, actor, ...Object(payload) })),
  }
}
