import { SessionWoke } from '../../../src/agents/sessions/events.ts'
import { namesOf } from '../../../src/agents/sessions/metadata.ts'
import { type SessionDraft, SessionRepository } from '../../../src/agents/sessions/repository.ts'
import type { SessionCaller } from '../../../src/http/caller.ts'
import { Mail } from '../../../src/work/mail/mail.ts'
import { TestClock } from '../../support/clock.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'
import { openWork } from '../world.ts'

/** The agents and named sessions of the city. */
const current = {
  agents: ['press/hand', 'saw/hand', 'clerk', 'press/lead'].map((qualified) => ({ qualified })),
  namedSessions: ['mayor', 'press/warden'].map((qualified) => ({ qualified })),
}

/** The mail of a city named mill, with stored sessions. */
export function openMail(folder: TempFolder = tempFolder(), clock = new TestClock()) {
  const work = openWork(folder, clock)
  const { store, log, deadlines, reactions, repository, errors } = work
  const settings = { retentionTtl: 30 * 24 * 3_600_000 }
  const sessionRepository = new SessionRepository(store, repository, clock)
  const nudges: { session: string; text: string; name: string }[] = []
  const withdrawn: string[] = []
  const mail = new Mail({
    ...{
      city: 'mill',
      store,
      log,
      clock,
      deadlines,
      reactions,
      beads: repository,
      config: { current: { ...current, mail: settings } },
    },
    report: (error) => errors.push(error),
    sessions: sessionRepository,
    nudge: (tx, session, text, name) => tx.after(() => nudges.push({ session, text, name })),
    withdraw: (tx, name) => tx.after(() => withdrawn.push(name)),
  })
  /** Adds a session that runs, unless `asleep`. */
  const session = (draft: Partial<SessionDraft> & { asleep?: boolean } = {}) =>
    store.write((tx) => {
      const { asleep, ...more } = draft
      const row = sessionRepository.add(tx, {
        title: 'at work',
        kind: 'agent',
        template: 'press/hand',
        rig: 'press',
        provider: 'claude',
        origin: 'manual',
        workDir: '/',
        sessionName: (id) => `s-${id}`,
        ...more,
      })
      return asleep ? row : start(tx, row.id)
    })
  const start = (tx: Parameters<Parameters<typeof store.write>[0]>[0], id: string) => {
    sessionRepository.transition(tx, id, 'begin')
    const generation = sessionRepository.get(id).generation + 1
    const up = sessionRepository.transition(tx, id, 'ready', {
      pid: 7,
      hostKey: `mill/${id}/${generation}`,
      generation,
    })
    log.append(tx, SessionWoke, { actor: 'gc', subject: id, session_id: id }, {})
    return up
  }
  return Object.assign(work, {
    sessionRepository,
    mail,
    /** `[mail]` of the city. */
    settings,
    nudges,
    withdrawn,
    session,
    wake: (id: string) => store.write((tx) => start(tx, id)),
    sleep: (id: string) =>
      store.write((tx) => sessionRepository.transition(tx, id, 'sleep', { pid: null, hostKey: null })),
    caller: (id: string): SessionCaller => ({
      kind: 'session',
      city: 'mill',
      session: id,
      names: namesOf(sessionRepository.get(id)),
      may: [],
    }),
    /** Resolves once the reactions have followed everything that was recorded. */
    async settled() {
      await store.write(() => {})
      await reactions.whenIdle()
    },
    async [Symbol.asyncDispose]() {
      await reactions.stop()
      work.claims.stop()
      work.deadlines.close()
      await store.close()
      folder[Symbol.dispose]()
    },
  })
}

export type MailWorld = ReturnType<typeof openMail>
