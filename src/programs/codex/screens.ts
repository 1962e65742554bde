import { resolve } from 'node:path'
import { realPath } from '../../core/folders.ts'
import { commandIn, dialog } from '../parts/index.ts'
import type { AskedSubject, AskedText, TerminalProfile } from '../terminal-profile.ts'

/** Line of Codex above questions of agents and servers, with the number of open ones. */
const COUNTER = /^\s*(?:Field|Question) \d+\/\d+(?: \(.*\))?\s*$/m

export const codexScreens: Partial<TerminalProfile> = {
  choosing: /press enter to (?:confirm|continue|submit)|enter to submit/i,
  // At the first column, where an agent writes no more than the first row of what it says.
  busy: /^\S.*esc to interrupt/im,
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
  // An error at the first column, where nothing that an agent writes is drawn, and then only its input line.
  limited: /^■ You.ve hit your usage limit(?![\s\S]*^[•■] )(?!(?:[\s\S]*^› ){2})/m,
  cut: /\[… \d+ lines?\]|^\s*[↑↓]\s*$/,
  asksFirst: true,
  grounded: true,
  texts: [{ label: /^none of the above/i, keys: '\t', text: 'optional' }],
  subject: codexSubject,
  interrupt: ['\x1b'],
}

const KNOWN_ROW = /^(?:|Environment: local|Reason: .*)$/
const SERVER_TOOL = /^Allow the (\S+) MCP server to run tool "([^"]+)"\?$/
const ONE_EDIT = /^• (?:Added|Edited|Deleted) (\S+) \(\+\d+ -\d+\)$/

/**
 * A reason of several rows could hold what looks like a command: then all of it counts as the command. A long line of a
 * file could look like a destination, so the heading has to name the same file.
 */
function codexSubject({ prompt, text }: AskedText, folder: string): AskedSubject | undefined {
  const rows = text.split('\n')
  const tool = SERVER_TOOL.exec(prompt)
  if (tool) return { kind: 'tool', server: tool[1] ?? '', tool: tool[2] ?? '' }
  if (prompt === 'Would you like to make the following edits?') {
    const [, name] = ONE_EDIT.exec(rows[0] ?? '') ?? []
    const [, path] = /^\s*Destination: (\/\S*)$/.exec(rows.at(-1) ?? '') ?? []
    const isNamed = name !== undefined && [folder, realPath(folder)].some((from) => resolve(from, name) === path)
    return isNamed && path !== undefined ? { kind: 'write', paths: [path] } : undefined
  }
  if (prompt !== 'Would you like to run the following command?') return undefined
  const at = rows.findIndex((row) => row.startsWith('$ '))
  if (at < 0 || !rows.slice(0, at).every((row) => KNOWN_ROW.test(row))) return undefined
  return commandIn([(rows[at] ?? '').slice(2), ...rows.slice(at + 1)])
}
