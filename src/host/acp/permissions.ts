import type { RequestPermissionRequest, RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import type { RecordWriter } from './record-writer.ts'
import { ToolCalls } from './tool-calls.ts'

interface PendingPermission {
  choices: string[]
  resolve(response: RequestPermissionResponse): void
}

/** What an agent asks before it goes on. It waits for as long as it takes: until somebody answers, or its turn ends. */
export class Permissions {
  readonly #pending = new Map<string, PendingPermission>()
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
    const request = `permission-${this.run.slice(0, 8)}-${++this.#count}`
    const choices = options.map(({ optionId, name, kind }) => ({ id: optionId, name, kind }))
    this.writer.write({ type: 'asked', request, tool: this.#toolCalls.complete(toolCall), choices })
    given.addEventListener('abort', () => this.#settle(request, undefined), { once: true })
    return new Promise((resolve) => {
      this.#pending.set(request, { choices: choices.map(({ id }) => id), resolve })
    })
  }

  /** Answers a question with one of its choices. */
  answer(request: string, choice: string): void {
    const pending = this.#pending.get(request)
    if (!pending) throw new AppError('conflict-wrong-state', `${request} is not asked any more`)
    if (!pending.choices.includes(choice)) {
      throw new AppError('validation-failed', `${request} can be answered with ${pending.choices.join(', ')}`)
    }
    this.#settle(request, choice)
  }

  /** Takes every question off the table, since the turn or the agent ends. */
  cancel(): void {
    for (const request of [...this.#pending.keys()]) this.#settle(request, undefined)
  }

  #settle(request: string, choice: string | undefined): void {
    const pending = this.#pending.get(request)
    if (!pending) return
    this.#pending.delete(request)
    this.writer.write({ type: 'answered', request, ...(choice !== undefined && { choice }) })
    pending.resolve({
      outcome: choice === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: choice },
    })
  }
}
