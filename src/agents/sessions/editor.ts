import { AppError } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import {
  checkAlias,
  type SessionPatch,
  type SessionRepository,
  type SessionResolver,
  type SessionResponse,
} from '../../work/sessions/index.ts'
import type { SessionCreator } from '../lifecycle/index.ts'
import type { SessionView } from './view.ts'

interface SessionEditorOptions {
  store: Store
  repository: SessionRepository
  resolver: SessionResolver
  creator: Pick<SessionCreator, 'aliasTaken'>
  view: SessionView
}

const MAX_ALIAS_HISTORY = 20

/** Changes the titles and aliases of sessions. */
export class SessionEditor {
  constructor(private readonly options: SessionEditorOptions) {}

  async patch(token: string, caller: Caller, { title, alias: requested }: SessionPatch): Promise<SessionResponse> {
    const { store, repository, resolver, view } = this.options
    if (title === undefined && requested === undefined) {
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ message: 'give title or alias', location: 'body' }],
      })
    }
    const row = resolver.resolve(token)
    const alias = requested === undefined ? undefined : checkAlias(requested)
    if (alias !== undefined && row.agentName !== '') {
      throw new AppError('forbidden', 'forbidden: alias is controller-managed for this session')
    }
    return store.write((tx) => {
      if (title !== undefined) repository.rename(tx, row.id, title)
      if (alias !== undefined) this.#setAlias(tx, row.id, alias)
      return view.show(repository.get(row.id))
    }, actorOf(caller))
  }

  #setAlias(tx: Tx, id: string, alias: string): void {
    const { repository, creator } = this.options
    const row = repository.get(id)
    if ((row.alias ?? '') === alias) return
    const conflict = alias ? creator.aliasTaken(alias, id) : undefined
    if (conflict) throw new AppError(SESSION_CONFLICT, conflict)
    const aliasHistory =
      row.alias === null ? row.aliasHistory : [...row.aliasHistory, row.alias].slice(-MAX_ALIAS_HISTORY)
    repository.update(tx, id, { alias: alias || null, aliasHistory })
  }
}
