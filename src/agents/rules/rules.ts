import { randomBytes } from 'node:crypto'
import { isAbsolute, resolve } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import { agentNamed, type CityConfig } from '../../config/city/index.ts'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { toTimestamp } from '../../core/clock.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage, invalidField } from '../../core/errors.ts'
import type { EventDefinition } from '../../core/events/index.ts'
import { realPath } from '../../core/folders.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { AskedSubject } from '../../programs/terminal-profile.ts'
import {
  isRunning,
  type RunningSession,
  type SessionRepository,
  type SessionResolver,
  type SessionRow,
} from '../../work/sessions/index.ts'
import { RuleAdded, RuleRemoved, RuleReviewed } from '../events.ts'
import type { AnswerGiver } from '../messaging/index.ts'
import {
  type AnswerCounts,
  askingOf,
  type Choice,
  type CommandFolders,
  describeSubject,
  isOfSession,
  numberOf,
  QuestionOver,
  type QuestionRow,
  type Questions,
} from '../questions/index.ts'
import { allowsPath, isReviewable, linkIn, type NamedFile, namedFiles, placeOf, reviewOf } from './named-files.ts'
import { allowsLine, isDestructive, type Rule, type RuleKind, ruleValue } from './rule.ts'
import { RulesFile } from './rules-file.ts'
import type {
  RuleDraft,
  RuleFiles,
  RuleList,
  RuleReview,
  RuleSuggestions,
  RuleView,
  ToolCall,
  ToolCallDecision,
} from './schema.ts'

/** A rule that is for a question, and what keeps it from answering. */
interface Judgement {
  rule: Rule
  /** Whether a command is known to run in the folder of its session. */
  isHere: boolean
  /** The files that make it void for the session. */
  changed: readonly NamedFile[]
}

type JudgedQuestion = Pick<QuestionRow, 'sessionId' | 'hostKey' | 'folder' | 'question'> & { readonly id?: number }

/** The answer to a call that is decided before its program asks. */
const ALLOW: Choice = { id: 'allow', label: 'Allow', role: 'allow-once' }

const PROMPTS = { read: 'Read these files?', write: 'Write these files?', command: 'Run this command?' } as const

const RULES = gcPart('rules')
/** Number of equal permissions after which a rule is suggested. */
const TIMES = 10
const HOST = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/

/**
 * Answers questions as a person's rules say, with what the program offers for this one time. A rule allows exactly what it
 * names. It is void for a session that changed a script or manifest that its command names, until a person has looked.
 */
export class Rules {
  readonly #file: RulesFile
  /** Questions that a rule answered or tried to answer: the rest is for a person. */
  readonly #tried = new Set<number>()
  /** Reasons that keep matching rules from answering open questions. */
  readonly #held = new Map<number, string>()
  /** Open questions about a command, and whether it runs in the folder of its session; absent where no hook named it. */
  readonly #places = new Map<number, boolean>()
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      name: string
      path: string
      home: string
      config: { readonly current: CityConfig }
      repository: Pick<SessionRepository, 'find' | 'live'>
      resolver: Pick<SessionResolver, 'resolve'>
      questions: Pick<Questions, 'open' | 'openOf' | 'get' | 'onChange' | 'answerAtOnce'>
      answers: Pick<AnswerGiver, 'give'>
      answerCounts: AnswerCounts
      commandFolders: CommandFolders
      /** The bead that a session works on, or was created for. */
      beadOf(row: RunningSession): string | undefined
    },
  ) {
    this.#file = new RulesFile(options.home)
  }

  /** Answers what rules allow, from now on and of what is open. */
  async start(): Promise<void> {
    await this.#recordChanges()
    const { questions, repository } = this.options
    this.#unsubscribe = questions.onChange((session) => {
      const hostKey = repository.find(session)?.hostKey
      this.#lookAt(hostKey ? questions.openOf(hostKey) : [])
    })
    this.#lookAtAll()
  }

  stop(): void {
    this.#unsubscribe?.()
  }

  /** Reason that keeps the rule for a question from answering it; undefined if no rule matches. */
  heldBy(question: number): string | undefined {
    return this.#held.get(question)
  }

  list(): RuleList {
    const { rules, problem } = this.#file.read()
    const items = rules.filter(({ city }) => city === this.options.name).map((rule) => this.#toView(rule))
    return { items, total: items.length, file: this.#file.path, ...(problem !== undefined && { problem }) }
  }

  async add(caller: Caller, draft: RuleDraft): Promise<RuleView> {
    const scoped = draft.question === undefined ? draft : this.#draftOf(draft.question, draft)
    const { kind, value, rig, agent, unconfined = false, until } = scoped
    if (!kind || !value) throw invalidField('body', 'a rule needs a kind and a value, or a question')
    if (!rig && !agent)
      throw invalidField('body.rig', 'a rule is for a rig or an agent; name one with --rig or --agent')
    const base = this.#baseOf(rig, agent)
    const end = until === undefined ? undefined : Date.parse(until)
    if (end !== undefined && !(end > this.context.clock.now()))
      throw invalidField('body.until', 'must be a time in the future')
    const rule: Rule = {
      ...{ id: `r-${randomBytes(4).toString('hex')}`, city: this.options.name, rig, agent, kind },
      ...{ value: checkedValue(kind, value, base), unconfined, until: end },
      ...{ added: toTimestamp(this.context.clock.now()), by: actorOf(caller).name },
      reviewed: kind === 'command' ? namedFiles(value, base).filter(isReviewable).map(reviewOf) : [],
    }
    await this.#file.add(rule)
    await this.#record(caller, RuleAdded, rule.id)
    this.#lookAtAll()
    return this.#toView(rule)
  }

  async remove(caller: Caller, id: string): Promise<{ status: string }> {
    this.#get(id)
    await this.#file.remove(id)
    await this.#record(caller, RuleRemoved, id)
    return { status: 'removed' }
  }

  /** Requests that people allowed ten times and never denied since, without destructive ones. */
  suggest(): RuleSuggestions {
    const { rules } = this.#file.read()
    const items = this.options.answerCounts.alike(TIMES).flatMap(({ agent, subject, times }) => {
      const value = ruleValue(subject)
      if (value === undefined || isDestructive(subject)) return []
      const isThere = rules.some(
        (rule) => rule.kind === subject.kind && rule.value === value && this.#isFor(rule, agent),
      )
      return isThere ? [] : [{ kind: subject.kind, value, agent, times }]
    })
    return { items, total: items.length }
  }

  /** The files that decide what the command of a rule does, as they are for a session. */
  files(id: string, session: string): RuleFiles {
    const rule = this.#get(id)
    const files = this.#filesFor(rule, session)
    const shown = files.map(({ name, state, text }) => ({
      ...{ name, state, reviewed: rule.reviewed.includes(reviewOf({ name, state })) },
      ...(text !== undefined && { text }),
    }))
    return { rule: id, session, files: shown, digest: digestOf(files) }
  }

  /** Takes what a person has read: the rule holds for a session with these files. */
  async review(caller: Caller, id: string, { session, digest }: RuleReview): Promise<RuleView> {
    const rule = this.#get(id)
    const files = this.#filesFor(rule, session)
    const hidden = files.find((file) => !isReviewable(file))
    if (hidden)
      throw new AppError('conflict-wrong-state', `${hidden.name} is a ${hidden.state} that cannot be reviewed`)
    if (digestOf(files) !== digest)
      throw new AppError(
        'conflict-wrong-state',
        `the files changed since they were shown; gc rule review ${id} ${session} shows them`,
      )
    // The event goes first, so that no rule is without a record.
    await this.#record(caller, RuleReviewed, id)
    await this.#file.review(id, [...new Set([...rule.reviewed, ...files.map(reviewOf)])])
    this.#lookAtAll()
    return this.#toView(this.#get(id))
  }

  /**
   * Decides a call by what a program's hook names, before the program asks: its dialog may show paths from a folder that
   * only the program knows, and does not show the folder of a command.
   */
  async decide(caller: Caller, session: string, call: ToolCall): Promise<ToolCallDecision> {
    const row = this.options.resolver.resolve(session)
    if (caller.kind !== 'session' || caller.session !== row.id)
      throw new AppError('forbidden', `forbidden: only session ${row.id} itself can ask about its tool calls`)
    const subject = subjectOf(call)
    if (!isRunning(row)) return { decision: 'ask' }
    const { store, clock } = this.context
    const { questions, beadOf } = this.options
    const asking = askingOf(row, 'agent', beadOf(row))
    const question = {
      ...{ id: `tool-${randomBytes(6).toString('hex')}`, kind: 'approval' as const, text: textOf(subject) },
      ...{ prompt: PROMPTS[call.kind], cut: false, picture: [], options: [ALLOW] },
      since: toTimestamp(clock.now()),
    }
    const judgement = call.asks ? undefined : this.#judge({ ...asking, question: { ...question, subject } })
    if (!judgement || holding(judgement) !== undefined) {
      if (subject.kind === 'command') this.#name(row.hostKey, subject.line, subject.folder ?? '')
      return { decision: 'ask' }
    }
    const { id } = judgement.rule
    await store.write((tx) => questions.answerAtOnce(tx, asking, question, subject, ALLOW, id), RULES)
    return { decision: 'allow' }
  }

  /** Remembers where a command runs, for the dialog about it, which may be open already. */
  #name(hostKey: string, line: string, folder: string): void {
    const { commandFolders, questions } = this.options
    commandFolders.name(hostKey, line, folder)
    this.#lookAt(questions.openOf(hostKey))
  }

  /** Places a command by what hooks named around the time of its dialog. One that may run elsewhere stays placed there. */
  #place({ id, hostKey, folder, question: { subject, since } }: QuestionRow): void {
    if (subject?.kind !== 'command' || this.#places.get(id) === false) return
    const folders = this.options.commandFolders.around(hostKey, subject.line, since)
    if (folders.length === 0) return
    const isHere = folders.every((each) => isOfSession(each, folder))
    this.#places.set(id, isHere)
  }

  #lookAtAll(): void {
    this.#lookAt(this.options.questions.open())
  }

  #lookAt(rows: readonly QuestionRow[]): void {
    for (const row of rows) {
      if (row.state !== 'open' || this.#tried.has(row.id)) continue
      this.#place(row)
      const judgement = this.#judge(row)
      const held = judgement && holding(judgement)
      if (held === undefined) this.#held.delete(row.id)
      else this.#held.set(row.id, held)
      if (judgement && held === undefined) void this.#answer(row, judgement.rule)
    }
    this.#forget()
  }

  /** Forgets what is over, once it is more than is open by far. */
  #forget(): void {
    const ids = () => new Set(this.options.questions.open().map(({ id }) => id))
    if (this.#tried.size + this.#held.size + this.#places.size < MAX_KEPT) return
    const open = ids()
    for (const kept of [this.#tried, this.#held, this.#places])
      for (const id of kept.keys()) if (!open.has(id)) kept.delete(id)
  }

  async #answer(row: QuestionRow, rule: Rule): Promise<void> {
    const { report } = this.context
    const { answers } = this.options
    this.#tried.add(row.id)
    const [option] = row.question.options.filter(({ role }) => role === 'allow-once')
    if (!option) return
    await answers.give(row, option, RULES, rule.id).catch((error) => {
      if (!(error instanceof QuestionOver)) report(`rule ${rule.id}: ${errorMessage(error)}`)
    })
  }

  /** The rule that is for a question: one that is not void, if there is one. */
  #judge(row: JudgedQuestion): Judgement | undefined {
    const session = this.options.repository.find(row.sessionId)
    if (!session || session.hostKey !== row.hostKey || !isAnswerable(row)) return undefined
    const now = this.context.clock.now()
    const found = this.#file
      .read()
      .rules.filter((rule) => rule.city === this.options.name && (rule.until === undefined || rule.until > now))
      .filter((rule) => this.#isFor(rule, session.template) && (rule.unconfined || isConfined(session)))
      .filter((rule) => allows(rule, row))
      .map((rule) => ({ rule, isHere: this.#isHere(row), changed: changedFiles(rule, row.folder) }))
    return found.find((each) => holding(each) === undefined) ?? found[0]
  }

  /** Whether a command is known to run in the folder of its session; everything else depends on no folder. */
  #isHere({ id, folder, question: { subject } }: JudgedQuestion): boolean {
    if (subject?.kind !== 'command') return true
    if (subject.folder !== undefined) return isOfSession(subject.folder, folder)
    return id !== undefined && this.#places.get(id) === true
  }

  #isFor({ rig, agent }: Rule, template: string): boolean {
    return (rig === undefined || rig === this.#agent(template)?.dir) && (agent === undefined || agent === template)
  }

  #agent(qualified: string): AgentConfig | undefined {
    return agentNamed(this.options.config.current, qualified)
  }

  /** The folder whose files a person sees when a rule is added. */
  #baseOf(rig: string | undefined, agent: string | undefined): string {
    const { current } = this.options.config
    const declared = agent === undefined ? undefined : this.#agent(agent)
    if (agent !== undefined && !declared) throw new AppError('agent-not-found', `there is no agent ${agent}`)
    const name = rig ?? declared?.dir
    if (!name) return current.path
    const found = current.rigs.find((each) => each.name === name)
    if (!found) throw new AppError('rig-not-found', `there is no rig ${name}`)
    return found.path ?? current.path
  }

  /** A rule for exactly what a question asks, of its agent. */
  #draftOf(question: string, draft: RuleDraft): RuleDraft {
    const id = numberOf(question)
    if (id === undefined) throw new AppError('question-not-found', `there is no question ${question}`)
    const row = this.options.questions.get(id)
    const session = this.options.repository.find(row.sessionId)
    const { subject } = row.question
    const value = subject && ruleValue(subject)
    if (!subject || value === undefined || !session)
      throw new AppError(
        'conflict-wrong-state',
        subject?.kind === 'write' || subject?.kind === 'read'
          ? `its program does not show the whole path; name the path: gc rule add --${subject.kind} <path> --agent <agent>`
          : 'gc cannot tell for sure what this question is about, so there can be no rule for it',
      )
    if (!this.#isHere(row))
      throw new AppError(
        'conflict-wrong-state',
        'gc cannot tell whether the command runs in the folder of the session, for which a rule would be; add one by its words: gc rule add --allow <command> --agent <agent>',
      )
    if (!draft.unconfined && !isConfined(session))
      throw invalidField(
        'body.unconfined',
        `session ${session.id} is not sandboxed; a rule for it must say so (--unconfined)`,
      )
    const dir = this.#agent(session.template)?.dir
    const scope = { agent: draft.agent ?? session.template, ...(dir && { rig: draft.rig ?? dir }) }
    return { ...draft, ...scope, kind: subject.kind, value }
  }

  #filesFor(rule: Rule, session: string): NamedFile[] {
    const row = this.options.repository.find(session)
    if (!row) throw new AppError('session-not-found', `there is no session ${session}`)
    return rule.kind === 'command' ? namedFiles(rule.value, row.workDir) : []
  }

  #get(id: string): Rule {
    const found = this.#file.read().rules.find((rule) => rule.id === id && rule.city === this.options.name)
    if (!found) throw new AppError('rule-not-found', `there is no rule ${id}`)
    return found
  }

  async #record(caller: Caller, event: EventDefinition, rule: string): Promise<void> {
    const { store, log } = this.context
    const { answerCounts } = this.options
    await store.write(
      (tx) => {
        if (event === RuleRemoved) answerCounts.forget(tx, rule)
        if (event === RuleAdded) answerCounts.remember(tx, rule)
        log.append(tx, event, {}, { rule })
      },
      { ...actorOf(caller), request: undefined },
    )
  }

  /** Records what changed in the file without an event: by a person's hand, or before a crash. */
  async #recordChanges(): Promise<void> {
    const { store, log, report } = this.context
    const { answerCounts, name } = this.options
    const { rules, problem } = this.#file.read()
    const [known, own] = [answerCounts.rules(), new Set(rules.flatMap(({ id, city }) => (city === name ? [id] : [])))]
    const [added, removed] = [own.difference(known), known.difference(own)]
    if (problem !== undefined || added.size + removed.size === 0) return
    await store
      .write((tx) => {
        for (const rule of added) {
          answerCounts.remember(tx, rule)
          log.append(tx, RuleAdded, {}, { rule })
        }
        for (const rule of removed) {
          answerCounts.forget(tx, rule)
          log.append(tx, RuleRemoved, {}, { rule })
        }
      }, RULES)
      .catch((error) => report(`changes of rules could not be recorded: ${errorMessage(error)}`))
  }

  #toView(rule: Rule): RuleView {
    const { id, kind, value, rig, agent, unconfined, added, by, until } = rule
    const { uses, lastUsedAt } = this.options.answerCounts.usageOf(id)
    const open = this.options.questions.open().flatMap((row) => {
      const judgement = this.#held.has(row.id) ? this.#judge(row) : undefined
      return judgement?.rule.id === id && judgement.changed.length > 0
        ? { session: row.sessionId, files: judgement.changed.map(({ name }) => name) }
        : []
    })
    return {
      ...{ id, kind, value, unconfined, added, by, uses, void: open },
      ...(rig !== undefined && { rig }),
      ...(agent !== undefined && { agent }),
      ...(until !== undefined && { until: toTimestamp(until), expired: until <= this.context.clock.now() }),
      ...(uses > 0 && { last_used_at: toTimestamp(lastUsedAt) }),
      ...(kind === 'command' && { warning: WARNING }),
    }
  }
}

const MAX_KEPT = 5_000
const WARNING =
  'It runs code that the session can change: the scripts, tests and configuration that this command reads. gc only checks the files that the command names and the manifest of its program.'

const isConfined = ({ confined }: SessionRow): boolean => confined !== null && confined !== 'off'

/** True if a program offers exactly one way to allow it this once. */
const isAnswerable = ({ question: { kind, cut, options } }: JudgedQuestion): boolean => {
  const allowing = options.filter(({ role }) => role === 'allow-once')
  return kind === 'approval' && !cut && allowing.length === 1 && allowing[0]?.text === undefined && !allowing[0]?.ticks
}

const subjectOf = ({ kind, paths, line = '' }: ToolCall): AskedSubject =>
  kind === 'command' ? { kind, line, folder: paths[0] ?? '' } : { kind, paths }

const textOf = (subject: AskedSubject): string =>
  subject.kind === 'read' || subject.kind === 'write' ? subject.paths.join('\n') : describeSubject(subject)

function allows({ kind, value }: Rule, { question: { subject }, folder }: JudgedQuestion): boolean {
  if (subject?.kind !== kind) return false
  switch (subject.kind) {
    case 'command':
      return allowsLine(value, subject.line)
    case 'fetch':
      return subject.hosts.every((host) => host.toLowerCase() === value.toLowerCase())
    case 'tool':
      return value === `${subject.server}/${subject.tool}`
    default:
      return subject.paths.every((path) => allowsPath(value, path, folder))
  }
}

/** Sentence for people that says why a rule does not answer; undefined if it does. */
function holding({ isHere, changed }: Judgement): string | undefined {
  const names = changed.map(({ name }) => name).join(', ')
  if (names !== '') return `its rule is void since ${names} changed, see gc rule list`
  return isHere ? undefined : 'its rule is for the folder of the session, and the command may run in another one'
}

const changedFiles = ({ kind, value, reviewed }: Rule, folder: string): NamedFile[] =>
  kind === 'command'
    ? namedFiles(value, folder).filter((file) => !isReviewable(file) || !reviewed.includes(reviewOf(file)))
    : []

const digestOf = (files: readonly NamedFile[]): string => sha256(JSON.stringify(files.map(reviewOf)))

/** Value that a person wrote, if it can be a rule. */
function checkedValue(kind: RuleKind, value: string, base: string): string {
  const fault = (message: string) => invalidField('body.value', message)
  if (/[\r\n]/.test(value)) throw fault('must be one line')
  if (kind === 'fetch') {
    if (!HOST.test(value.toLowerCase())) throw fault(`"${value}" is not a host, such as example.com`)
    return value.toLowerCase()
  }
  if (kind === 'tool' && !/^[^/\s]+\/\S+$/.test(value)) throw fault('must be <server>/<tool>, such as deploy/status')
  if (kind === 'command' || kind === 'tool') return value.trim()
  if (value.split('/').includes('..')) throw fault('must not contain ..')
  const path = resolve(realPath(base), value)
  const link = linkIn(path)
  if (link !== undefined) throw fault(`${link} is a symbolic link; name the path that it leads to: ${placeOf(path)}`)
  return isAbsolute(value) ? path : value
}
