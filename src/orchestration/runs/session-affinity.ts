import { and, eq } from 'drizzle-orm'
import type { CityContext } from '../../core/city-context.ts'
import { query, stablePlan, type Tx } from '../../core/store/index.ts'
import type { Bead, BeadGuard, BeadRepository } from '../../work/beads/index.ts'
import { EngineKey, WorkflowKey, WorkKey } from '../../work/metadata.ts'
import type { SessionRepository } from '../../work/sessions/index.ts'
import { metadataValue } from './node.ts'
import { type RunSession, runSessions } from './table.ts'

export interface SessionAffinityOptions {
  beads: BeadRepository
  sessions: SessionRepository
}

/** States of sessions that work, or will as soon as there is work for them. */
const WORKING: ReadonlySet<string> = new Set(['creating', 'active', 'asleep'])

const RELEASED = query<{ id: string }, [string, string]>(
  stablePlan(`SELECT DISTINCT b.id FROM bead_edges e CROSS JOIN beads b ON b.id = e.issue_id
       WHERE e.depends_on_id = ?1 AND e.gating = 1 AND b.ready = 1 AND b.assignee = '' AND b.root_id = ?2`),
)

const READY = query<{ id: string }, [string, string]>(
  stablePlan(`SELECT id FROM beads WHERE root_id = ?1 AND root_id IS NOT NULL
       AND metadata ->> '$."${WorkflowKey.continuationGroup}"' = ?2 AND ready = 1 AND assignee = ''`),
)

/**
 * Keeps the steps of a continuation group that are for one agent with one session: what becomes ready of a group that
 * requires it is assigned to the session that last began a step of it for that agent, as long as that can work, in the
 * write that makes the step ready.
 */
export class SessionAffinity implements BeadGuard {
  constructor(
    private readonly context: CityContext,
    private readonly options: SessionAffinityOptions,
  ) {
    options.beads.addGuard(this)
  }

  checkWrite(): void {}

  onChanged(tx: Tx, before: Bead, after: Bead): void {
    const isClosing = before.status !== 'closed' && after.status === 'closed'
    const root = metadataValue(after, WorkflowKey.rootBeadId)
    if (root === '') {
      if (isClosing && metadataValue(after, WorkflowKey.kind) === 'workflow') this.#forget(tx, after.id)
      return
    }
    if (after.status === 'in_progress') this.#remember(tx, root, after)
    if (isClosing) for (const { id } of this.context.store.all(RELEASED, after.id, root)) this.#assign(tx, root, id)
  }

  /** Has a run continue in the session of another, for one group. */
  inherit(tx: Tx, group: string, from: string, to: string): void {
    const condition = and(eq(runSessions.rootId, from), eq(runSessions.group, group))
    const found = this.context.store.read((orm) => orm.select().from(runSessions).where(condition).all())
    for (const session of found) this.#save(tx, { ...session, rootId: to })
    for (const { id } of this.context.store.all(READY, to, group)) this.#assign(tx, to, id)
  }

  #remember(tx: Tx, rootId: string, step: Bead): void {
    const group = metadataValue(step, WorkflowKey.continuationGroup)
    const sessionId = metadataValue(step, WorkKey.sessionId)
    const identity = step.assignee ?? ''
    if (group === '' || sessionId === '' || identity === '') return
    const target = metadataValue(step, WorkKey.routedTo)
    if (this.#find(rootId, group, target)?.sessionId === sessionId) return
    this.#save(tx, { rootId, group, target, sessionId, identity })
  }

  #assign(tx: Tx, root: string, id: string): void {
    const { beads, sessions } = this.options
    const step = beads.get(id)
    const group = metadataValue(step, WorkflowKey.continuationGroup)
    if (group === '' || metadataValue(step, EngineKey.sessionAffinity) !== 'require') return
    const session = this.#find(root, group, metadataValue(step, WorkKey.routedTo))
    if (session && WORKING.has(sessions.find(session.sessionId)?.state ?? 'closed'))
      beads.change(tx, id, { assignee: session.identity })
  }

  #find(root: string, group: string, target: string): RunSession | undefined {
    const { rootId, group: groupColumn, target: targetColumn } = runSessions
    const condition = and(eq(rootId, root), eq(groupColumn, group), eq(targetColumn, target))
    return this.context.store.read((orm) => orm.select().from(runSessions).where(condition).get())
  }

  #save(tx: Tx, session: RunSession): void {
    const { sessionId, identity } = session
    tx.orm
      .insert(runSessions)
      .values(session)
      .onConflictDoUpdate({
        target: [runSessions.rootId, runSessions.group, runSessions.target],
        set: { sessionId, identity },
      })
      .run()
  }

  #forget(tx: Tx, root: string): void {
    tx.orm.delete(runSessions).where(eq(runSessions.rootId, root)).run()
  }
}
