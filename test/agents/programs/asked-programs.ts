import type { Question } from '../../../src/host/protocol/question.ts'
import { type StartedProgram, startProgram } from './asked-program.ts'
import { type AskedCase, code } from './cases/case.ts'
import type { Script } from './model-server.ts'

/** A program that asks, and what it asks. */
export interface Asked {
  started: StartedProgram
  question: Question
}

const DONE: Script = () => ({ text: 'Done.' })

/** True if these two can be asked by the same run of a program. */
const areAlike = (a: AskedCase, b: AskedCase): boolean => a === b || (keyOf(a) !== undefined && keyOf(a) === keyOf(b))

/** Input that a program starts with; undefined if it needs more than a file to edit. */
function keyOf({ program, start: { prepare, options, env, args } }: AskedCase): string | undefined {
  return prepare === undefined || prepare === code ? JSON.stringify([program.provider, options, env, args]) : undefined
}

/** Has programs ask, one after the other; one that runs is asked again where that works, since starting it takes long. */
export class AskedPrograms {
  #running: { started: StartedProgram; asked: AskedCase } | undefined
  #script: Script = DONE
  /** The model has nothing more to do. */
  #isDone = false

  /** Resolves when the program asks what the case is about. */
  async ask(asked: AskedCase): Promise<Asked> {
    const question = await this.#askAgain(asked)
    if (question && this.#running) return { started: this.#running.started, question }
    await this.end()
    this.#begin(asked)
    const script: Script = (request, body) => this.#reply(request, body)
    const started = await startProgram(asked.program, { ...asked.start, script })
    this.#running = { started, asked }
    await asked.typed?.(started)
    return { started, question: await started.asked() }
  }

  async end(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.started[Symbol.asyncDispose]()
  }

  /** Undefined when the program that runs does not ask this. */
  async #askAgain(asked: AskedCase): Promise<Question | undefined> {
    const { prompt } = asked.start
    if (!this.#running || asked.onStart || prompt === undefined || !areAlike(this.#running.asked, asked))
      return undefined
    const { started } = this.#running
    const isReady = await started.settle(10_000).then(
      ({ is }) => is === 'ready',
      () => false,
    )
    if (!isReady || started.host.question('s')) return undefined
    this.#begin(asked)
    code(started)
    if (!(await started.say(prompt))) return undefined
    const asks = await started.until(() => started.host.question('s') ?? (this.#isDone ? 'not any more' : undefined))
    return typeof asks === 'object' ? asks : undefined
  }

  #begin({ start }: AskedCase): void {
    this.#script = start.script ?? DONE
    this.#isDone = false
  }

  #reply(...[request, body]: Parameters<Script>): ReturnType<Script> {
    const reply = this.#script(request, body)
    if (!('status' in reply) && 'text' in reply) this.#isDone = true
    return reply
  }
}
