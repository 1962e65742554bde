import { isAbsolute } from 'node:path'
import { commandIn, dialog, fetchOf } from '../parts/index.ts'
import type { AskedSubject, AskedText, TerminalProfile } from '../terminal-profile.ts'

/** Ctrl-C on its empty input line ends OpenCode, so a turn is interrupted with Escape, which it wants twice. */
export const opencodeScreens: Partial<TerminalProfile> = {
  readyPrefixes: [''],
  // What it says of a provider that it tries again takes the place of its commands.
  ready: /ctrl\+p commands|\[retrying [^\n]*esc (?:again to )?interrupt/,
  // What a dialog is about is coloured before it is drawn.
  drawsWithin: 1_000,
  busy: /esc (?:again to )?interrupt/,
  status: /^ {0,2}╹▀{10,}/,
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
  waits: /╹▀{10,}(?![\s\S]*╹▀{10,})[\s\S]*\[retrying in (?!~?\d+s\b)/,
  choosing: /enter (?:submit|confirm|toggle)/,
  texts: [{ label: /^type your own answer/i, keys: '\r', text: 'required' }],
  endBoxes: '\t',
  // What an agent writes is indented farther.
  frame: /^ {0,2}┃/,
  cut: /\S\s{2,}█$/,
  widest: 120,
  clips: 5,
  expand: '\x06',
  expands: /ctrl\+f (?:fullscreen|minimize)/,
  expanded: /ctrl\+f minimize[^\n]*[\s┃]*$/,
  subject: opencodeSubject,
  interrupt: ['\x1b', '\x1b'],
  clear: '\x15\x7f',
}

/**
 * Its heading is one row, and what it asks about stands below a blank one. A patch names files from the root of the
 * repository there, and not where they are moved, so no path is absolute.
 */
function opencodeSubject({ text }: AskedText): AskedSubject | undefined {
  const [first, heading = '', blank, ...body] = text.split('\n')
  if (first !== '△ Permission required' || blank !== '') return undefined
  const [, path] = /^ {2}→ (?:Edit|Write) (\S.*)$/.exec(heading) ?? []
  if (path !== undefined) return isAbsolute(path) ? undefined : { kind: 'write', paths: [path] }
  const [, address] = /^ {2}% WebFetch (\S+)$/.exec(heading) ?? []
  if (address !== undefined) return body.join('\n') === `URL: ${address}` ? fetchOf([address]) : undefined
  const [command = '', ...more] = body
  const isCommand = /^ {2}# /.test(heading) && command.startsWith('$ ')
  return isCommand ? commandIn([command.slice(2), ...more]) : undefined
}
