import { dialog } from '../parts/dialog.ts'
import type { TerminalProfile } from '../terminal-profile.ts'

/** What Codex writes above the questions of agents and servers, with how many are unanswered. */
const COUNTER = /^\s*(?:Field|Question) \d+\/\d+(?: \(.*\))?\s*$/m

export const codexScreens: Partial<TerminalProfile> = {
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
