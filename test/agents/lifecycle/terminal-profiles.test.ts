import { describe, expect, test } from 'bun:test'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { findTypedText, type InputPosition } from '../../../src/host/terminal/input.ts'
import { type ProgramState, stateOf } from '../../../src/host/terminal/program-state.ts'
import type { TerminalScreen } from '../../../src/host/terminal/terminal-host.ts'
import type { QuestionKind } from '../../../src/programs/terminal-profile.ts'

/** A screen as it was seen; `▮` marks the cursor. */
function seen(text: string): TerminalScreen {
  const rows = text.split('\n').slice(1)
  const y = rows.findIndex((row) => row.includes('▮'))
  const x = rows[y]?.indexOf('▮') ?? 0
  const lines = rows.map((row) => row.replace('▮', ''))
  return { lines: [...lines, '', ''], cursor: { x, y: y < 0 ? lines.length : y }, bracketedPaste: true, cols: 120 }
}

const profileOf = (provider: string) => terminalProfileOf(resolveProvider(provider, new Map()))

type Judged = ProgramState['is'] | QuestionKind

const SCREENS: [provider: string, what: string, expected: Judged, screen: string][] = [
  [
    'codex',
    'asking which model to use from now on',
    'other',
    `
  Meet the next model

  Our latest is more intelligent and more efficient.

› 1. Try new model
  2. Use existing model

  enter/esc confirm · ^c quit▮`,
  ],
  [
    'opencode',
    'at its start',
    'ready',
    `
                   ┃
                   ┃  ▮Ask anything… "Fix broken tests"
                   ┃
                   ┃  Build · Scripted Scripted
                   ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                                 tab agents  ctrl+p commands

  /src/web:main                                       1.18.33`,
  ],
  [
    'opencode',
    'with what someone began to type',
    'typing',
    `
  ┃
  ┃  please look▮
  ┃
  ┃  Build · Scripted Scripted
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
   /src/web             110 (0%)  ctrl+p commands`,
  ],
  [
    'opencode',
    'during a turn',
    'busy',
    `
  ┃  ⠸ echo hi
  ┃
     ▣  Build · Scripted
  ┃
  ┃  ▮
  ┃
  ┃  Build · Scripted Scripted
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
   ⬝■■■■■■⬝  esc interrupt       tab agents  ctrl+p commands`,
  ],
  [
    'opencode',
    'asking for permission',
    'approval',
    `
  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ echo hi > out.txt
  ┃
  ┃   Allow once   Allow always   Reject     ⇆ select  enter confirm
  ┃                                                                ▮`,
  ],
  [
    'opencode',
    'quoting a permission question',
    'ready',
    `
     The screen said "△ Permission required".
  ┃
  ┃  ▮
  ┃
  ┃  Build · Scripted Scripted
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
   /src/web             110 (0%)  ctrl+p commands`,
  ],
  [
    'claude',
    'at its prompt',
    'ready',
    `
 ╭─── Claude Code v2.1.197 ───╮
 ╰────────────────────────────╯
────────────────────────────────────
❯ ▮
────────────────────────────────────
  ⏵⏵ bypass permissions on (shift+tab to cycle)     Not logged in · Run /login`,
  ],
  [
    'claude',
    'with two lines that someone typed',
    'typing',
    `
────────────────────────────────────
❯ one
  two▮
────────────────────────────────────
  ⏵⏵ bypass permissions on (shift+tab to cycle)`,
  ],
  [
    'claude',
    'in a folder it does not know',
    'trust',
    `
 Accessing workspace:
 /src/web
 Quick safety check: Is this a project you created or one you trust?
▮❯ 1. Yes, I trust this folder
   2. No, exit
 Enter to confirm · Esc to cancel`,
  ],
  [
    'claude',
    'with a key in its environment',
    'api-key',
    `
  Detected a custom API key in your environment
  Do you want to use this API key?
    1. Yes
  ▮❯ 2. No (recommended)`,
  ],
  [
    'claude',
    'about to skip permissions',
    'permissions',
    `
  WARNING: Claude Code running in Bypass Permissions mode
  ▮❯ 1. No, exit
    2. Yes, I accept`,
  ],
  [
    'codex',
    'at its prompt',
    'ready',
    `
 >_ OpenAI Codex (v0.169.0)

› ▮Ask Codex to do anything

  scripted default · /src/web
  ← for agents · ? for shortcuts`,
  ],
  [
    'codex',
    'during a turn',
    'busy',
    `
› hello there

• Working (1s • esc to interrupt)

› ▮Ask Codex to do anything

  scripted default · /src/web`,
  ],
  [
    'codex',
    'before it is logged in',
    'login',
    `
  Welcome to Codex, OpenAI's command-line coding agent
> 1. Sign in with ChatGPT
  2. Sign in with Device Code
 ▮`,
  ],
  [
    'codex',
    'in a folder it does not know',
    'trust',
    `
  Trust this folder? Codex can read, edit, and run files here.
› 1. Trust and continue
  2. Back to Agent Command Center
 ▮`,
  ],
  [
    'gemini',
    'at its prompt',
    'ready',
    `
 YOLO Ctrl+Y
▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
 * ▮ Type your message or @path/to/file
▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
 workspace (/directory)      sandbox      /model`,
  ],
  [
    'gemini',
    'with what someone began to type',
    'typing',
    `
▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
 > hello▮
▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
 workspace (/directory)      sandbox      /model`,
  ],
  [
    'gemini',
    'in a folder it does not know',
    'trust',
    `
 │ Do you trust the files in this folder?
 │ ● 1. Trust folder (work)
 │   2. Trust parent folder
▮`,
  ],
  [
    'gemini',
    'before it is logged in',
    'login',
    `
 │ ? Get started
 │   How would you like to authenticate for this project?
 │     1. Sign in with Google
▮`,
  ],
  ['kimi', 'of which no sign is known', 'starting', '\nKimi Code\n▮'],
]

describe('judging the screen of', () => {
  test.each(SCREENS)('%s %s: %s', (provider, _what, expected, screen) => {
    const judged = stateOf(seen(screen), profileOf(provider), false)
    expect<Judged>(judged.is === 'asking' ? judged.dialog.kind : judged.is).toBe(expected)
  })
})

describe('finding a typed text', () => {
  test.each<[provider: string, screen: string, text: string, place: InputPosition | undefined]>([
    ['opencode', '\n  ┃  hello world, please\n  ┃  work on this▮\n  ┃', 'hello world, please\nwork on this', 'cursor'],
    ['opencode', '\n  ┃  [Pasted ~12 lines] ▮\n  ┃', 'a\n'.repeat(12), 'cursor'],
    ['claude', '\n────\n❯ [Pasted text #1 +12 lines] ▮\n────', 'a\n'.repeat(12), 'cursor'],
    ['claude', '\n────\n❯ work\n────\n  ⏵⏵ auto\n▮', 'work', 'prefix'],
    ['codex', '\n› hello\n\n› ▮Ask Codex to do anything', 'hello', undefined],
    ['opencode', '\n  ┃  hello\n\n  ┃  ▮\n  ┃', 'hello', undefined],
  ])('in %s', (provider, screen, text, place) => {
    expect(findTypedText(seen(screen), profileOf(provider), text)).toBe(place)
  })
})
