import type { CommandExit, HostedCommand, HostedCommands } from '../../../agents/launch/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { errorMessage } from '../../../core/errors.ts'
import { randomHex } from '../../../core/ids.ts'
import type { ProcessEnvironment, ProcessTokens } from '../../../http/process-tokens.ts'
import type { Order, OrderTrigger } from '../order.ts'
import type { ConditionResult } from './due.ts'
import { formatElapsed } from './elapsed.ts'

/** Runs the checks of conditions in the session host. None outlives the supervisor that wanted to know. */
export class Conditions {
  readonly #waiting = new Map<string, (exit: CommandExit) => void>()
  #unsubscribe: (() => void) | undefined

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      commands: HostedCommands
      tokens: ProcessTokens
      /** The command of the check of an order; throws why there is none. */
      commandOf(order: Order, check: string, identity: ProcessEnvironment): HostedCommand
    },
  ) {}

  /** Ends what an earlier supervisor left running. */
  async start(): Promise<void> {
    const { report } = this.context
    const { commands } = this.peers
    this.#unsubscribe = commands.onExit(async (exit) => this.#waiting.get(exit.name)?.(exit))
    try {
      const left = await commands.names()
      await Promise.all([...left].map((name) => commands.end(name)))
    } catch (error) {
      report(`checks of conditions of an earlier start could not be stopped: ${errorMessage(error)}`)
    }
  }

  /** Ends the checks that run; each has failed. */
  async stop(): Promise<void> {
    await Promise.allSettled([...this.#waiting.keys()].map((name) => this.peers.commands.end(name)))
    this.#unsubscribe?.()
    for (const [name, resolve] of this.#waiting) resolve(endedExit(name))
  }

  /** Runs the check of an order's condition. */
  async check(
    order: Order,
    { check, timeout }: Extract<OrderTrigger, { kind: 'condition' }>,
  ): Promise<ConditionResult> {
    const { deadlines } = this.context
    const { commands, commandOf, tokens } = this.peers
    const name = `${order.scopedName}/${randomHex(6)}`
    const token = tokens.issue(`condition of ${order.scopedName}`)
    const { promise, resolve } = Promise.withResolvers<CommandExit>()
    this.#waiting.set(name, resolve)
    let isTimedOut = false
    const deadline = deadlines.after(timeout, () => {
      isTimedOut = true
      commands.end(name).catch(() => resolve(endedExit(name)))
    })
    try {
      await commands.start(name, commandOf(order, check, token.env))
      const exit = await promise
      if (isTimedOut) return { passed: false, reason: `check command timed out after ${formatElapsed(timeout)}` }
      return resultOf(exit)
    } catch (error) {
      return { passed: false, reason: `check command failed: ${errorMessage(error)}` }
    } finally {
      deadline.cancel()
      this.#waiting.delete(name)
      tokens.end(token.hash)
    }
  }
}

function resultOf({ how, exitCode, signal }: CommandExit): ConditionResult {
  if (how === 'exited' && exitCode === 0) return { passed: true, reason: 'condition: check passed (exit 0)' }
  if (how !== 'exited') return { passed: false, reason: 'check command failed: it was stopped before it finished' }
  const status = signal === undefined ? `exit status ${exitCode}` : `signal: ${signal}`
  return { passed: false, reason: `check command failed: ${status}` }
}

const endedExit = (name: string): CommandExit => ({
  ...{ name, how: 'ended', exitCode: undefined, signal: undefined, output: '', startedAt: 0, endedAt: 0 },
})
