import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import { DECISIONS, readElicitation } from './elicitation.ts'
import type { RecordWriter } from './record-writer.ts'
import { ToolCalls } from './tool-calls.ts'

interface PendingQuestion {
  /** Answers the agent; fails when the answer does not fit. */
  answer(choice: string, text: string): void
  cancel(): void
}

/** What an agent asks before it goes on. It waits for as long as it takes: until somebody answers, or its turn ends. */
export class Permissions {
  readonly #pending = new Map<string, PendingQuestion>()
  readonly #toolCalls = new ToolCalls()
  #count = 0

  constructor(
    private readonly run: string,
    private readonly writer: RecordWriter,
  ) {}

  /** The agent told something that a later question may leave out. */
  onUpdate(update: SessionUpdate): void {
    this.#toolCalls.onUpdate(update)
  }

  /** Resolves with the answer; `given` aborts when the agent takes its question back. */
  ask({ toolCall, options }: RequestPermissionRequest, given: AbortSignal): Promise<RequestPermissionResponse> {
    const request = this.#name('permission')
    const choices = options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind }))
    this.writer.write({ type: 'asked', request, tool: this.#toolCalls.complete(toolCall), choices })
    given.addEventListener('abort', () => this.#cancel(request), { once: true })
    return new Promise((resolve) => {
      this.#pending.set(request, {
        answer(choice) {
          const ids = choices.map(({ id }) => id)
          if (!ids.includes(choice))
            throw new AppError('validation-failed', `${request} can be answered with ${ids.join(', ')}`)
          resolve({ outcome: { outcome: 'selected', optionId: choice } })
        },
        cancel: () => resolve({ outcome: { outcome: 'cancelled' } }),
      })
    })
  }

  /** Resolves with what a person fills into the agent's form. */
  elicit(params: CreateElicitationRequest, given: AbortSignal): Promise<CreateElicitationResponse> {
    const { message, options, answer } = readElicitation(params)
    const request = this.#name('elicitation')
    const tool = { title: message, kind: 'elicitation' }
    this.writer.write({ type: 'asked', request, tool, choices: DECISIONS, options })
    given.addEventListener('abort', () => this.#cancel(request), { once: true })
    return new Promise((resolve) => {
      this.#pending.set(request, {
        answer: (choice, text) => resolve(answer(choice, text)),
        cancel: () => resolve({ action: 'cancel' }),
      })
    })
  }

  #name(what: string): string {
    return `${what}-${this.run.slice(0, 8)}-${++this.#count}`
  }

  /** Answers a question with one of its choices, or a form with its fields and their text. */
  answer(request: string, choice: string, text = ''): void {
    const pending = this.#pending.get(request)
    if (!pending) throw new AppError('conflict-wrong-state', `${request} is not asked any more`)
    pending.answer(choice, text)
    this.#pending.delete(request)
    this.writer.write({ type: 'answered', request, choice })
  }

  /** Takes every question off the table, since the turn or the agent ends. */
  cancel(): void {
    for (const request of [...this.#pending.keys()]) this.#cancel(request)
  }

  #cancel(request: string): void {
    const pending = this.#pending.get(request)
    if (!pending) return
    this.#pending.delete(request)
    this.writer.write({ type: 'answered', request })
    pending.cancel()
  }
}
