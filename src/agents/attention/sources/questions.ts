import type { AttentionResolution, AttentionSource } from '../../../core/attention.ts'
import type { SessionRepository, SessionRow } from '../../../work/sessions/index.ts'
import type { LaunchPlanner } from '../../launch/index.ts'
import { answersTo, selectOption } from '../../messaging/index.ts'
import {
  describeOutcome,
  describeSubject,
  identityOf,
  numberOf,
  type QuestionRow,
  type Questions,
  questionId,
} from '../../questions/index.ts'
import type { Rules } from '../../rules/index.ts'
import type { ListedItem } from '../schema.ts'

interface QuestionAttentionOptions {
  questions: Pick<Questions, 'open' | 'get' | 'onChange'>
  repository: Pick<SessionRepository, 'find'>
  launchPlanner: Pick<LaunchPlanner, 'unsharedLogin'>
  rules: Pick<Rules, 'heldBy'>
}

/** Lists questions of programs, by protocol or on their screens. */
export class QuestionAttention implements AttentionSource<ListedItem> {
  readonly name = 'questions'

  constructor(private readonly options: QuestionAttentionOptions) {}

  items(): ListedItem[] {
    return this.options.questions.open().map((row) => this.#toItem(row))
  }

  onChange(listener: () => void): () => void {
    return this.options.questions.onChange(listener)
  }

  resolution(name: string): AttentionResolution | undefined {
    const id = numberOf(name)
    if (id === undefined) return undefined
    const row = this.options.questions.get(id)
    return { text: describeOutcome(row), ...(row.actor && { by: row.actor.name }) }
  }

  #toItem(row: QuestionRow): ListedItem {
    const session = this.options.repository.find(row.sessionId)
    const { kind, prompt, text, cut, picture, since, subject } = row.question
    const same = identityOf(row)
    const answers = answersTo(row)
    const selected = answers.map((answer) => selectOption(answer, row))
    const texts = answers.filter((_, index) => selected[index]?.text !== undefined)
    const ticks = answers.filter((_, index) => selected[index]?.ticks)
    const lists = answers.flatMap((answer, index) => {
      const { choices, several = false } = selected[index] ?? {}
      return choices ? [{ answer, choices, several }] : []
    })
    const id = questionId(row)
    return {
      ...{ id, kind: row.by === 'agent' ? 'permission' : 'dialog', question_kind: kind },
      ...{ agent: session?.template ?? '', session_id: row.sessionId, folder: row.folder, since },
      ...(session && { session_name: session.alias ?? session.sessionName }),
      ...(row.beadId !== null && { bead_id: row.beadId }),
      ...{ asks: prompt, request_id: row.request, answers, text, cut, picture },
      ...(subject && { subject: describeSubject(subject) }),
      ...(same !== undefined && { same }),
      ...(answers.length > 0 && { options: selected.map(({ label }) => label) }),
      ...(selected.some(({ description }) => description) && {
        descriptions: selected.map(({ description = '' }) => description),
      }),
      ...(texts.length > 0 && { texts }),
      ...(ticks.length > 0 && { ticks }),
      ...(lists.length > 0 && { lists }),
      to_do: this.#sharing(row, session) ?? `${answering(row, answers)}${this.#holding(row)}`,
    }
  }

  /** The reason that keeps a matching rule from answering it. */
  #holding({ id }: QuestionRow): string {
    const held = this.options.rules.heldBy(id)
    return held === undefined ? '' : `; ${held}`
  }

  /** A confined session asks for what the person has already. */
  #sharing({ question, sessionId }: QuestionRow, session: SessionRow | undefined): string | undefined {
    const login = question.kind === 'login' && session ? this.options.launchPlanner.unsharedLogin(session) : undefined
    if (!login) return undefined
    return `gc confine share-login ${login.provider} lets it read your login, then gc session kill ${sessionId} starts it again; or log in at its terminal`
  }
}

const answering = ({ id, sessionId }: QuestionRow, answers: readonly string[]): string =>
  answers.length > 0
    ? `gc attention answer ${id} ${answers.join('|')}`
    : `gc session attach ${sessionId}, and answer there`
