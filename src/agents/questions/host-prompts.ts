import type { Config } from '../../config/compose/index.ts'
import { allowHost } from '../../config/confinement/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { AttentionResolution } from '../../core/attention.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { unsubscriber } from '../../core/signal.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { type HostAnswer, type HostPrompt, SESSION_CONFLICT } from '../../host/protocol/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { isRunning, type RunningSession, type SessionRepository } from '../../work/sessions/index.ts'
import { SessionAnswered } from '../events.ts'
import type { QuestionAnswer, QuestionView } from './schema.ts'

/** A running session and the host that it asks for. */
interface Asking {
  row: RunningSession
  asked: HostPrompt
}

/** The same as people see it, with what they can say. */
export interface OpenHostPrompt {
  /** Its id in the attention list. */
  id: string
  row: RunningSession
  /** The host in the form of `allow_hosts`. */
  host: string
  prompt: string
  /** Since when, RFC 3339. */
  since: string
  /** The bead that the session works on, or was created for. */
  bead: string | undefined
  answers: readonly Answer[]
  /** The answers in a sentence each, in the same order. */
  options: readonly string[]
}

type Answer = HostAnswer | 'agent'

const PREFIX = 'host:'
/** Maximum number of answers whose hosts are remembered. */
const MAX_KEPT = 1000

/** The hosts beyond all lists that confined sessions ask for: people say whether these may be reached. */
export class HostPrompts {
  readonly #resolutions = new Map<string, AttentionResolution>()

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      city: string
      config: Pick<Config, 'edit'>
      host: Pick<SessionHost, 'askedHosts' | 'answerHost'>
      repository: Pick<SessionRepository, 'find' | 'onChange'>
      /** The bead that a session works on, or was created for. */
      beadOf(row: RunningSession): string | undefined
    },
  ) {}

  /** The prompts that wait for a person; undefined until the hosts have reported. */
  open(): OpenHostPrompt[] | undefined {
    if (!this.options.host.askedHosts.isKnown) return undefined
    return this.#all().map((asking) => this.#toPrompt(asking))
  }

  /** The sessions that ask for a host now. */
  asking(): ReadonlySet<string> {
    return new Set(this.#all().map(({ row }) => row.id))
  }

  /** Calls the listener whenever that may have changed; returns how to unsubscribe. */
  onChange(listener: () => void): () => void {
    const { host, city, repository } = this.options
    const unsubscribe = unsubscriber(
      host.askedHosts.subscribe((key) => {
        if (key.startsWith(`${city}/`)) listener()
      }),
      repository.onChange(listener),
    )
    void host.askedHosts.whenKnown().then(listener)
    return unsubscribe
  }

  /** The answer to a prompt that is closed. */
  resolution(id: string): AttentionResolution | undefined {
    return this.#resolutions.get(id)
  }

  /** True if something under attention is a host that is asked for. */
  names(id: string): boolean {
    return id.startsWith(PREFIX)
  }

  /** Takes what a person says of a host. Sessions cannot say it: they would let themselves out. */
  async answer(id: string, caller: Caller, { answer: word, text }: QuestionAnswer): Promise<QuestionView> {
    if (caller.kind === 'session' || caller.kind === 'process') {
      throw new AppError('forbidden', 'forbidden: only people and the operator decide which hosts a session may reach')
    }
    if (text) throw invalidField('body.text', 'an answer about a host takes no words; leave them out')
    const asking = this.#all().find((each) => idOf(each) === id)
    if (!asking) throw this.#notAsked(id)
    const answers = answersFor(asking)
    const answer = answers.find((each, index) => [each, String(index + 1)].includes(word.trim().toLowerCase()))
    if (!answer) throw invalidField('body.answer', `"${word}" is none of ${answers.join(', ')}`)
    const actor = actorOf(caller)
    const { row, asked } = asking
    if (answer === 'agent' && caller.kind === 'person') {
      throw new AppError(
        'forbidden',
        'forbidden: this answer changes the configuration of the agent, which the operator may; answer for this session',
      )
    }
    if (answer === 'agent') await this.#declare(actor, row.template, listed(asked))
    const choice = labelOf(answer, row.template, asked)
    this.#keep(id, { text: choice, by: actor.name })
    await this.#tell(asking, answer === 'agent' ? 'session' : answer).catch((error) => {
      this.#resolutions.delete(id)
      throw error
    })
    return this.#record(asking, choice, actor)
  }

  /** Puts the host into the configuration of the agent, for its later sessions. */
  async #declare(actor: Actor, agent: string, host: string): Promise<void> {
    await this.options.config
      .edit(actor, (base) => allowHost(base, agent, host))
      .catch((error) => {
        throw error instanceof AppError ? overError(`${error.message}; or answer it for this session`) : error
      })
  }

  async #tell({ row, asked: { host, port } }: Asking, answer: HostAnswer): Promise<void> {
    const wasAsked = await this.options.host.answerHost(row.hostKey, { host, port, answer })
    if (!wasAsked) throw overError(`session ${row.id} does not ask for ${host}:${port} any more`)
  }

  async #record(asking: Asking, choice: string, actor: Actor): Promise<QuestionView> {
    const { store, log } = this.context
    const id = idOf(asking)
    const { row, asked } = asking
    const bead = this.options.beadOf(row)
    const about = { prompt: promptOf(asking), folder: row.workDir, ...(bead !== undefined && { bead_id: bead }) }
    const payload = { session_id: row.id, request_id: id, question_id: id, ...about, choice }
    await store.write((tx) => {
      log.append(tx, SessionAnswered, { subject: row.id, session_id: row.id }, payload)
    }, actor)
    return {
      ...{ id, session_id: row.id, ...about, kind: 'network', text: listed(asked), cut: false },
      options: answersFor(asking).map((each) => labelOf(each, row.template, asked)),
      ...{ since: asked.since, state: 'answered', choice, answered_by: actor.name },
    }
  }

  #keep(id: string, resolution: AttentionResolution): void {
    this.#resolutions.delete(id)
    this.#resolutions.set(id, resolution)
    for (const old of [...this.#resolutions.keys()].slice(0, -MAX_KEPT)) this.#resolutions.delete(old)
  }

  #notAsked(id: string): AppError {
    const { text, by } = this.#resolutions.get(id) ?? {}
    if (text !== undefined) return overError(`that was answered by ${by ?? 'somebody'}: ${text}`)
    return new AppError('question-not-found', `no session asks for that host now; gc attention lists what waits`)
  }

  #all(): Asking[] {
    const { host, city, repository } = this.options
    return host.askedHosts.all.flatMap(([key, asked]) => {
      const [of, id = ''] = key.split('/')
      const row = of === city ? repository.find(id) : undefined
      return row && isRunning(row) && row.hostKey === key ? [{ row, asked }] : []
    })
  }

  #toPrompt(asking: Asking): OpenHostPrompt {
    const { row, asked } = asking
    const answers = answersFor(asking)
    return {
      ...{ id: idOf(asking), row, host: listed(asked), prompt: promptOf(asking), since: asked.since },
      bead: this.options.beadOf(row),
      answers,
      options: answers.map((each) => labelOf(each, row.template, asked)),
    }
  }
}

/** Answers that a person can give about a host. */
const answersFor = ({ row }: Asking): Answer[] => [
  ...(['once', 'session'] as const),
  ...(row.kind !== 'agent' ? [] : (['agent'] as const)),
  ...(['no', 'none'] as const),
]

/** A host in the form of `allow_hosts`: the port goes without saying where it is that of HTTPS. */
const listed = ({ host, port }: HostPrompt): string => {
  const name = host.includes(':') ? `[${host}]` : host
  return port === 443 ? name : `${name}:${port}`
}

const idOf = ({ row, asked: { host, port } }: Asking): string => `${PREFIX}${row.id}:${host}:${port}`

function promptOf({ row, asked: { host, port, others } }: Asking): string {
  const more = others === 0 ? '' : `, and asks for ${others} other ${others === 1 ? 'host' : 'hosts'} too`
  return `${row.template} wants to reach ${host} at port ${port}, which is on no list${more}`
}

function labelOf(answer: Answer, agent: string, asked: HostPrompt): string {
  const host = listed(asked)
  switch (answer) {
    case 'once':
      return `yes, this time: what waits for ${host}, or else its next connection`
    case 'session':
      return `yes, ${host} in this session`
    case 'agent':
      return `yes, ${host} in all sessions of ${agent}: into its allow_hosts`
    case 'no':
      return `no, not ${host} in this session`
    case 'none':
      return 'no, and no other host that this session asks for'
  }
}

const overError = (why: string): AppError => new AppError(SESSION_CONFLICT, `conflict: ${why}`)
