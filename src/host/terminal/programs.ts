import type { QuestionKind } from '../protocol/question.ts'
import type { ProgramOnTerminal } from '../protocol/session.ts'
import { DEFAULT_TERMINAL_PROFILE, type Dialog, type TerminalProfile } from './profile.ts'

const dialog = (kind: QuestionKind, seen: RegExp, asks: string): Dialog => ({ kind, seen, asks })

const claude: Partial<TerminalProfile> = {
  placeholder: /^Try "/,
  busy: /esc to interrupt/i,
  takesWhileBusy: true,
  choosing: /\b(?:enter|return) to (?:select|confirm)|esc to cancel/i,
  dialogs: [
    dialog('plan', /exit plan mode\?|ready to code\?|would you like to proceed\?/i, 'whether to begin with its plan'),
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
    {
      ...dialog('mcp', /mcp server .{1,100} requests your input/i, 'for what an MCP server wants to know'),
      isForm: true,
    },
    dialog('api-key', /detected a custom api key/i, 'whether to use the API key in its environment'),
    dialog('choice', /review your answers/i, 'whether to submit its answers'),
    dialog('resume', /resume from summary|resume full session/i, 'how to resume its conversation'),
    dialog('usage-limit', /what do you want to do\?[\s\S]*limit to reset/i, 'what to do about its usage limit'),
    dialog('usage-limit', /usage limit reached/i, 'what to do about its usage limit'),
    dialog(
      'approval',
      /this command requires approval|approve edits\?|do you want to (?:proceed|make this edit|create|overwrite|allow claude)/i,
      'for permission',
    ),
  ],
  // At the first column, where nothing that an agent writes is drawn.
  top: /^(?:─{20,}|▔{20,}.*▔)\s*$/,
  cut: /^\s*[↑↓] \d+ more lines?|\s[↑↓]\s*$/,
  // Dots stand between two rules until the diff is known.
  drawing: /^╌{20,}\s*\n…\s*\n╌{20,}/m,
  texts: [{ label: /^(?:type something|tell claude what to change)/i, text: 'required' }],
  interrupt: ['\x1b'],
  tick: ' ',
  clear: '\x15\x7f',
}

/** What Codex writes above the questions of agents and servers, with how many are unanswered. */
const COUNTER = /^\s*(?:Field|Question) \d+\/\d+(?: \(.*\))?\s*$/m

const codex: Partial<TerminalProfile> = {
  choosing: /press enter to (?:confirm|continue|submit)|enter to submit/i,
  busy: /esc to interrupt/i,
  takesWhileBusy: true,
  dialogs: [
    dialog('update', /update available[\s\S]*skip/i, 'whether to update itself'),
    dialog('login', /sign in with chatgpt/i, 'to log in'),
    {
      ...dialog(
        'trust',
        /trust this folder\?|do you trust the contents of this directory/i,
        'whether to trust its folder',
      ),
      from: /^\s*Folder access/,
    },
    { ...dialog('approval', /^\s*Field 1\/1.*\n\s*Allow the .+ MCP server to run/m, 'for permission'), below: COUNTER },
    dialog('other', /try new model[\s\S]*use existing model/i, 'which model to use'),
    dialog('hooks', /hooks? need(?:s)? review/i, 'to review its hooks'),
    dialog('usage-limit', /you've hit your usage limit/i, 'what to do about its usage limit'),
    {
      ...dialog('approval', /would you like to make the following edits/i, 'for permission to edit files'),
      from: /^• (?:Added|Edited|Deleted|Proposed|Change)/,
    },
    dialog(
      'approval',
      /would you like to run the following command|would you like to grant|allow command\?|needs your approval/i,
      'for permission',
    ),
    { ...dialog('choice', COUNTER, 'to choose'), below: COUNTER },
  ],
  cut: /\[… \d+ lines?\]|^\s*[↑↓]\s*$/,
  asksFirst: true,
  texts: [{ label: /^none of the above/i, keys: '\t', text: 'optional' }],
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
    {
      ...dialog('choice', /review your answers/i, 'whether to submit its answers'),
      keys: [
        { label: 'Submit', keys: '\r' },
        { label: 'Cancel', keys: '\x1b' },
      ],
    },
    dialog(
      'usage-limit',
      /usage limit reached for .+[\s\S]*\d\. (?:keep trying|stop)/i,
      'what to do about its usage limit',
    ),
    dialog('approval', /apply this change\?|allow execution|do you want to proceed\?/i, 'for permission'),
  ],
  top: /^╭─{20,}/,
  heading: /^│ Action Required\s+│\s*$/,
  cut: /\.\.\. (?:first|last) \d+ lines? hidden|press ctrl\+o to expand/i,
  expand: '\x0f',
  choosing: /enter to (?:select|submit)/i,
  ticksAll: /^all of the above/i,
  texts: [{ label: /^enter a custom value/i, text: 'required' }],
  redraws: 500,
  marksPastes: true,
  pasteGuard: 100,
  interrupt: ['\x1b'],
}

/** Ctrl-C on its empty input line ends OpenCode, so a turn is interrupted with Escape, which it wants twice. */
const opencode: Partial<TerminalProfile> = {
  readyPrefixes: [''],
  ready: /ctrl\+p commands/,
  // What a dialog is about is coloured before it is drawn.
  drawsWithin: 1_000,
  busy: /esc (?:again to )?interrupt/,
  takesWhileBusy: true,
  dialogs: [
    dialog('approval', /△ Permission required|△ Always allow/, 'for permission'),
    dialog('other', /△ Reject permission/, 'what to do instead'),
    {
      ...dialog('choice', /┃ {2}Review\s*\n[\s\S]*enter submit {2}esc dismiss/, 'whether to submit its answers'),
      keys: [
        { label: 'Submit', keys: '\r' },
        { label: 'Dismiss', keys: '\x1b' },
      ],
    },
    { ...dialog('update', /Update Available[\s\S]*(?:Skip|Confirm)/, 'whether to update itself'), over: true },
    { ...dialog('login', /Connect a provider/, 'which model to use'), over: true },
  ],
  waits: /╹▀{10,}(?![\s\S]*╹▀{10,})[\s\S]*\[retrying in /,
  choosing: /enter (?:submit|confirm|toggle)/,
  texts: [{ label: /^type your own answer/i, keys: '\r', text: 'required' }],
  endBoxes: '\t',
  frame: /^\s*┃/,
  cut: /\S\s{2,}█$/,
  widest: 120,
  clips: 5,
  expand: '\x06',
  expands: /ctrl\+f (?:fullscreen|minimize)/,
  expanded: /ctrl\+f minimize[^\n]*[\s┃]*$/,
  interrupt: ['\x1b', '\x1b'],
  clear: '\x15\x7f',
}

const PROFILES: Readonly<Record<string, Partial<TerminalProfile>>> = {
  ...{ claude, codex, gemini, opencode },
  ...{ groq: opencode, cerebras: opencode },
}

/** How a program behaves in a terminal: what is known of it by name, then what its declaration adds. */
export function profileOf({ name, readyPrefix, readyDelay }: ProgramOnTerminal): TerminalProfile {
  const preset = name !== undefined && Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
  const profile: TerminalProfile = { ...DEFAULT_TERMINAL_PROFILE, ...preset }
  const declared = readyPrefix ? [readyPrefix] : []
  return {
    ...profile,
    readyPrefixes: [...new Set([...declared, ...profile.readyPrefixes])],
    readyDelay: readyDelay ?? profile.readyDelay,
  }
}
