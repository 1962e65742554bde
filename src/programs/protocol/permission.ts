import { closeSync, openSync, readSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { isObject, parseJson } from '../../core/json.ts'
import { quote } from './command-line.ts'
import { GUARD, protocolWords } from './protocol.ts'

type Input = Readonly<Record<string, unknown>>

/** The tool with which a program runs commands, and the hooks that may allow a call of it. */
interface HookedProgram {
  readonly tool: string
  /** The inputs of the tool that do not change what its command may do. */
  readonly inputs: ReadonlySet<string>
  /** Output of a hook that allows the call with this input, by the event that calls it. */
  readonly answers: Readonly<Record<string, (input: Input) => Input>>
  /** In this mode its own rule has to allow the call as well. The rule matches the first words, so gc guards the rest. */
  readonly guardedMode?: string
  /** Output of a hook that prompts a person regardless of rules. */
  readonly asks?: Input
  /** The event before it asks. */
  readonly asked: {
    readonly event: string
    /** The paths of a call of this tool; one that is not text leaves a doubt. */
    paths?(tool: unknown, input: Input): { kind: 'read' | 'write'; paths: readonly unknown[] } | undefined
    /** The folder that a command of the shell tool runs in. */
    folder(call: Input): unknown
    /** The input with the folder in its command, where its dialog would not show it. */
    shown?(input: Input, folder: unknown): Input | undefined
    /** Output of a hook that allows it; absent where a hook cannot, and the call is only noted for the dialog. */
    readonly allow?: Input
  }
}

/** Subject of a call, and the output of a hook if a rule allows it. */
export interface AskedCall {
  readonly kind: 'read' | 'write' | 'command'
  /** Its files, or the folder of its command; absolute. */
  readonly paths: readonly string[]
  readonly line?: string
  /** Absent where the program asks in any case. */
  readonly allow?: string
  /** Output where no rule allows it. */
  readonly otherwise?: string
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
    // Its paths are absolute here, whatever folder its shell is in; its dialogs show them from there.
    asked: {
      event: 'PermissionRequest',
      folder: ({ cwd }) => cwd,
      paths(tool, { file_path: file, notebook_path: notebook }) {
        if (tool === 'Read') return { kind: 'read', paths: [file] }
        if (tool === 'NotebookEdit') return { kind: 'write', paths: [notebook] }
        return ['Edit', 'MultiEdit', 'Write'].includes(String(tool)) ? { kind: 'write', paths: [file] } : undefined
      },
      allow: ofEvent('PermissionRequest', { decision: { behavior: 'allow' } }),
    },
  },
  // Its rules allow the protocol.
  codex: {
    tool: 'Bash',
    inputs: new Set(['command', 'description']),
    answers: {},
    asked: {
      event: 'PermissionRequest',
      folder: codexFolder,
      allow: ofEvent('PermissionRequest', { decision: { behavior: 'allow' } }),
    },
  },
  // Its policies allow the protocol, and refuse every other command with a folder in its input.
  gemini: {
    tool: 'run_shell_command',
    inputs: new Set(['command', 'description', 'dir_path', 'is_background']),
    answers: {},
    asked: { event: 'BeforeTool', folder: ({ cwd }) => cwd, shown: geminiShown },
  },
  // The plugin of gc calls it.
  opencode: {
    tool: 'bash',
    inputs: new Set(['command', 'description', 'timeout']),
    answers: { 'tool.execute.before': ({ command }) => ({ command }) },
    // A patch lists its files from the root of the repository, and where each is moved.
    asked: {
      event: 'permission.asked',
      folder: ({ folder }) => folder,
      paths(tool, { filepath, files }) {
        if (tool !== 'edit') return undefined
        if (files === undefined) return { kind: 'write', paths: [filepath] }
        const changes = Array.isArray(files) ? files.map(asInput) : []
        return {
          kind: 'write',
          paths: changes.flatMap(({ filePath, movePath }) =>
            movePath === undefined ? [filePath] : [filePath, movePath],
          ),
        }
      },
      allow: { allow: true },
    },
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

/** Call that a program is about to ask about; undefined for other calls, and for ambiguous paths. */
export function askedCall(name: string, call: string): AskedCall | undefined {
  const given = asInput(parseJson(call))
  const { hook_event_name: event, tool_name: tool, permission_mode: mode } = given
  const program = HOOKED[name]
  if (!program || event !== program.asked.event || mode === 'plan') return undefined
  const input = asInput(given.tool_input)
  const isCommand = tool === program.tool && typeof input.command === 'string'
  if (isCommand && !Object.keys(input).every((key) => program.inputs.has(key))) return undefined
  if (isCommand && !program.asked.allow && protocolWords(input.command, [])) return undefined
  const folder = isCommand ? program.asked.folder(given) : undefined
  const shown = isCommand ? program.asked.shown?.(input, folder) : undefined
  const asked = isCommand
    ? { kind: 'command' as const, paths: [folder], line: String(shown?.command ?? input.command) }
    : program.asked.paths?.(tool, input)
  const paths = asked?.paths.filter((path) => typeof path === 'string' && isAbsolute(path)) ?? []
  if (!asked || paths.length === 0 || paths.length !== asked.paths.length) return undefined
  return {
    ...{ ...asked, paths: paths.map(String) },
    ...(program.asked.allow && { allow: JSON.stringify(program.asked.allow) }),
    ...(shown && { otherwise: JSON.stringify(ofEvent(String(event), { tool_input: shown })) }),
  }
}

/** Earlier versions of Codex name the folder of the session instead. */
const CODEX_NAMES_FOLDERS = [0, 166] as const
/** The version is in the first line of a log, before anything long. */
const VERSION_WITHIN = 8_192

/** The folder of a command of Codex; undefined for a connection that its command wants, which it asks about alike. */
function codexFolder({ cwd, transcript_path: log, tool_input: given }: Input): unknown {
  if (typeof log !== 'string' || String(asInput(given).description).startsWith('network-access')) return undefined
  const [, major, minor] = /"cli_version":"(\d+)\.(\d+)\./.exec(beginningOf(log)) ?? []
  const [first, second] = CODEX_NAMES_FOLDERS
  const isNamed = Number(major) > first || (Number(major) === first && Number(minor) >= second)
  return isNamed ? cwd : undefined
}

function beginningOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const bytes = Buffer.alloc(VERSION_WITHIN)
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** A call of Gemini that has the folder in its command, unless that is the one of the session. */
function geminiShown(input: Input, folder: unknown): Input | undefined {
  const { command, dir_path: directory } = input
  if (typeof directory !== 'string' || directory === '' || typeof folder !== 'string') return undefined
  const isHere = resolve(folder, directory) === folder
  return { ...input, command: isHere ? command : `cd ${quote(directory)} || exit; ${command}`, dir_path: '' }
}

const asInput = (value: unknown): Input => (isObject(value) ? value : {})
