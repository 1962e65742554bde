import type { Provider } from '../../config/providers/provider.ts'
import type { QuestionKind } from '../../host/protocol/question.ts'
import { DEFAULT_TERMINAL_PROFILE, type Dialog, type TerminalProfile } from '../../host/terminal/profile.ts'

const dialog = (kind: QuestionKind, seen: RegExp, asks: string): Dialog => ({ kind, seen, asks })

const claude: Partial<TerminalProfile> = {
  placeholder: /^Try "/,
  busy: /esc to interrupt/i,
  takesWhileBusy: true,
  dialogs: [
    dialog('trust', /do you trust the files in this folder|accessing workspace:/i, 'whether to trust its folder'),
    dialog('theme', /choose the text style that looks best/i, 'which colours to use'),
    dialog('login', /select login method|please run \/login|paste code here/i, 'to log in'),
    dialog('permissions', /bypass permissions mode[\s\S]*yes, i accept/i, 'whether to run without permission checks'),
    dialog(
      'imports',
      /allow external claude\.md file imports/i,
      'whether to read instructions from outside its folder',
    ),
    dialog('mcp', /new mcp servers? found/i, 'whether to use an MCP server'),
    dialog('api-key', /detected a custom api key/i, 'whether to use the API key in its environment'),
    dialog('resume', /resume from summary|resume full session/i, 'how to resume its conversation'),
    dialog(
      'usage-limit',
      /what do you want to do\?[\s\S]*wait for limit|usage limit reached/i,
      'what to do about its usage limit',
    ),
    dialog(
      'approval',
      /this command requires approval|approve edits\?|do you want to (?:proceed|make this edit|create)/i,
      'for permission',
    ),
  ],
  top: /^\s*─{20,}\s*$/,
  cut: /^\s*[↑↓] \d+ more lines/,
  interrupt: ['\x1b'],
  clear: '\x15\x7f',
}

const codex: Partial<TerminalProfile> = {
  busy: /esc to interrupt/i,
  takesWhileBusy: true,
  dialogs: [
    dialog('update', /update available[\s\S]*skip/i, 'whether to update itself'),
    dialog('login', /sign in with chatgpt/i, 'to log in'),
    dialog('trust', /trust this folder\?|do you trust the contents of this directory/i, 'whether to trust its folder'),
    dialog('other', /try new model[\s\S]*use existing model/i, 'which model to use'),
    dialog('hooks', /hooks? need(?:s)? review/i, 'to review its hooks'),
    dialog('usage-limit', /you've hit your usage limit/i, 'what to do about its usage limit'),
    dialog('approval', /would you like to run the following command|allow command\?/i, 'for permission'),
  ],
  cut: /\[… \d+ lines\]|^\s*[↑↓]\s*$/,
  asksFirst: true,
  interrupt: ['\x1b'],
}

/** What stands before its input line tells its approval mode. */
const gemini: Partial<TerminalProfile> = {
  readyPrefixes: ['> ', '* ', '! '],
  ready: /Type your message|workspace \(\/directory\)/,
  busy: /esc to cancel/i,
  takesWhileBusy: true,
  dialogs: [
    dialog('trust', /do you trust (?:this folder|the files in this folder)/i, 'whether to trust its folder'),
    dialog('login', /how would you like to authenticate/i, 'to log in'),
    dialog('theme', /select theme/i, 'which colours to use'),
    dialog('approval', /apply this change\?|allow execution/i, 'for permission'),
  ],
  top: /^╭─{20,}/,
  cut: /\.\.\. (?:first|last) \d+ lines hidden/,
  redraws: 500,
  marksPastes: true,
  pasteGuard: 100,
  interrupt: ['\x1b'],
}

/** Ctrl-C on its empty input line ends OpenCode, so a turn is interrupted with Escape, which it wants twice. */
const opencode: Partial<TerminalProfile> = {
  readyPrefixes: [''],
  ready: /ctrl\+p commands/,
  busy: /esc (?:again to )?interrupt/,
  takesWhileBusy: true,
  dialogs: [
    dialog('approval', /△ Permission required/, 'for permission'),
    { ...dialog('update', /Update Available[\s\S]*(?:Skip|Confirm)/, 'whether to update itself'), over: true },
    { ...dialog('login', /Connect a provider/, 'which model to use'), over: true },
  ],
  interrupt: ['\x1b', '\x1b'],
  clear: '\x15\x7f',
}

const PROFILES: Readonly<Record<string, Partial<TerminalProfile>>> = {
  ...{ claude, codex, gemini, opencode },
  ...{ groq: opencode, cerebras: opencode },
}

/** How a provider's program behaves in a terminal: what is known of its ancestor, then what its declaration adds. */
export function terminalProfileOf(
  provider?: Pick<Provider, 'ancestor' | 'readyPromptPrefix' | 'readyDelayMs'>,
): TerminalProfile {
  const { ancestor, readyPromptPrefix, readyDelayMs } = provider ?? {}
  const profile: TerminalProfile = { ...DEFAULT_TERMINAL_PROFILE, ...(ancestor ? PROFILES[ancestor] : {}) }
  const declared = readyPromptPrefix ? [readyPromptPrefix] : []
  return {
    ...profile,
    readyPrefixes: [...new Set([...declared, ...profile.readyPrefixes])],
    readyDelay: readyDelayMs ?? profile.readyDelay,
  }
}
