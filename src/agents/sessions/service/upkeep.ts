import { gcPart } from '../../../core/actor.ts'
import { errorMessage } from '../../../core/errors.ts'
import type { Store } from '../../../core/store.ts'
import type { AcpConversations } from '../../conversations/acp/conversations.ts'
import type { AcpRetention } from '../../conversations/acp/retention.ts'
import type { LoginWatcher } from '../../lifecycle/login-watcher.ts'
import type { Prompts } from '../../lifecycle/prompts.ts'
import type { AnswerGiver } from '../../messaging/answer-giver.ts'
import type { CreateRequests } from '../../messaging/create-requests.ts'
import type { MessageDelivery } from '../../messaging/message-delivery.ts'
import type { QuestionWatcher } from '../../messaging/question-watcher.ts'
import type { SessionRequests } from '../../messaging/requests.ts'
import type { SessionHost } from '../host.ts'
import type { SessionRepository } from '../repository.ts'
import type { SessionRetention } from '../retention.ts'

interface SessionUpkeepOptions {
  store: Store
  host: Pick<SessionHost, 'onRecords'>
  repository: SessionRepository
  conversations: AcpConversations
  conversationRetention: AcpRetention
  retention: SessionRetention
  requests: SessionRequests
  createRequests: CreateRequests
  delivery: MessageDelivery
  loginWatcher: LoginWatcher
  prompts: Pick<Prompts, 'close'>
  questionWatcher: QuestionWatcher
  answers: Pick<AnswerGiver, 'recover'>
  report(message: string): void
}

/** Recovers what a stop or a crash left, receives the records of ACP programs, and deletes what is old. */
export class SessionUpkeep {
  #unsubscribe: (() => void) | undefined

  constructor(private readonly options: SessionUpkeepOptions) {}

  async start(): Promise<void> {
    const { host, repository, conversations, delivery, retention, conversationRetention } = this.options
    await this.#recoverRequests()
    this.#unsubscribe = host.onRecords((batch) => conversations.ingest(batch))
    for (const { id } of repository.live()) delivery.deliver(id)
    void this.#recoverQuestions()
    await retention.start()
    await conversationRetention.start()
  }

  stop(): void {
    const { retention, conversationRetention, loginWatcher, questionWatcher, delivery, requests, prompts } =
      this.options
    this.#unsubscribe?.()
    retention.stop()
    conversationRetention.stop()
    loginWatcher.close()
    questionWatcher.close()
    delivery.close()
    requests.close()
    prompts.close()
  }

  /** Reads the screens anew, and finishes the answers that a stop interrupted; nothing else waits for that. */
  async #recoverQuestions(): Promise<void> {
    const { questionWatcher, answers, report } = this.options
    try {
      await answers.recover()
      await questionWatcher.start()
    } catch (error) {
      report(`questions of programs: ${errorMessage(error)}`)
    }
  }

  async #recoverRequests(): Promise<void> {
    const { store, repository, requests, createRequests, delivery } = this.options
    const open = requests.recover()
    await store.write((tx) => {
      delivery.recover(tx)
      for (const request of open.filter(({ operation }) => operation === 'session.create')) {
        const row = repository.find(request.subject)
        if (!row || row.state === 'closed') {
          requests.fail(tx, request, 'create_failed', 'the session was closed before it was up')
        } else if (row.wokeAt !== null) createRequests.succeedUnlessPending(tx, row.id)
      }
    }, gcPart('sessions'))
  }
}
