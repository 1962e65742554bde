import { isObject, parseJson } from '../../core/json.ts'
import { quote } from './command-line.ts'
import { GUARD, protocolWords } from './protocol.ts'

type Input = Readonly<Record<string, unknown>>

/** The tool with which a program runs commands, and the hooks that may allow a call of it. */
interface HookedProgram {
  readonly tool: string
  /** The inputs of the tool that do not change what its command may do. */
  readonly inputs: ReadonlySet<string>
  /** What a hook prints to allow the call with this input, by the event that it is called for. */
  readonly answers: Readonly<Record<string, (input: Input) => Input>>
  /** In this mode its own rule has to allow the call as well. The rule matches the first words, so gc guards the rest. */
  readonly guardedMode?: string
  /** What a hook prints to have a person asked, whatever that rule says. */
  readonly asks?: Input
}

const ofEvent = (hookEventName: string, decision: Input): Input => ({
  hookSpecificOutput: { hookEventName, ...decision },
})

const HOOKED: Readonly<Record<string, HookedProgram>> = {
  claude: {
    tool: 'Bash',
    inputs: new Set(['command', 'description', 'timeout', 'run_in_background']),
    answers: {
      PreToolUse: (updatedInput) =>
        ofEvent('PreToolUse', {
          permissionDecision: 'allow',
          permissionDecisionReason: 'gc allows its own commands',
          updatedInput,
        }),
      // It is about to ask although the other hook allowed the call.
      PermissionRequest: (updatedInput) =>
        ofEvent('PermissionRequest', { decision: { behavior: 'allow', updatedInput } }),
    },
    guardedMode: 'plan',
    asks: ofEvent('PreToolUse', {
      permissionDecision: 'ask',
      permissionDecisionReason: 'gc allows its own commands as they are documented, not in this form',
    }),
  },
  // The plugin of gc calls it.
  opencode: {
    tool: 'bash',
    inputs: new Set(['command', 'description', 'timeout']),
    answers: { 'tool.execute.before': ({ command }) => ({ command }) },
  },
}

/**
 * The answer of a hook to a tool call: it is allowed if it is one command of gc's own protocol, and then runs this gc,
 * whatever the shell finds under that name. Undefined leaves the decision to the program.
 */
export function permissionAnswer(name: string, call: string, gc: readonly string[]): string | undefined {
  const { hook_event_name: event, tool_name: tool, tool_input: given, permission_mode: mode } = asInput(parseJson(call))
  const program = HOOKED[name]
  const answer = typeof event === 'string' ? program?.answers[event] : undefined
  const input = asInput(given)
  if (!program || !answer || tool !== program.tool) return undefined
  const words = protocolWords(input.command, gc)
  if (!words || !Object.keys(input).every((key) => program.inputs.has(key))) {
    const isGuarded = String(input.command).includes(GUARD.join(' '))
    return program.asks && event === 'PreToolUse' && isGuarded ? JSON.stringify(program.asks) : undefined
  }
  const guard = mode !== undefined && mode === program.guardedMode ? [...GUARD, '--'] : []
  const command = [...gc, ...guard, ...words].map(quote).join(' ')
  return JSON.stringify(answer({ ...input, command }))
}

const asInput = (value: unknown): Input => (isObject(value) ? value : {})
