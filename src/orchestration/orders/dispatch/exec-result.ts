import type { CommandExit } from '../../../agents/commands/hosted-commands.ts'
import type { OrderOutput } from './order-runs.ts'
import type { TrackingEnd } from './tracking.ts'

const MAX_LINES = 20
const MAX_CHARACTERS = 2_000

/** What came of the command of an order. */
export function execEnd(exit: CommandExit, isTimedOut: boolean): TrackingEnd {
  const { exitCode = null, signal = null, startedAt, endedAt } = exit
  const output = exit.streams ?? { stdout: exit.output, stderr: '', truncated: true }
  const ended = { startedAt, endedAt, exitCode, signal, output }
  if (exit.how === 'exited' && exitCode === 0) return { ...ended, outcome: 'success', labels: ['exec'] }
  const error = `${reasonOf(exit, isTimedOut)}${tailOf(output)}`
  return { ...ended, outcome: 'failed', error, labels: ['exec-failed'] }
}

function reasonOf({ how, exitCode, signal }: CommandExit, isTimedOut: boolean): string {
  if (how === 'lost') return 'interrupted: its session host was lost'
  if (isTimedOut) return 'context deadline exceeded'
  if (how === 'ended') return 'interrupted: it was ended with the sessions of the city'
  return signal === undefined ? `exit status ${exitCode}` : `signal: ${signal}`
}

/** The last lines of both streams, as the message of an event ends with them. */
function tailOf({ stdout, stderr }: Omit<OrderOutput, 'trackingId'>): string {
  const text = [stdout, stderr].map((stream) => stream.trimEnd()).filter((stream) => stream !== '')
  const tail = text.join('\n').split('\n').slice(-MAX_LINES).join('\n').slice(-MAX_CHARACTERS)
  return tail === '' ? '' : `; output: ${tail}`
}
