import { dialog } from '../parts/dialog.ts'
import type { TerminalProfile } from '../terminal-profile.ts'

/** What stands before its input line tells its approval mode. */
export const geminiScreens: Partial<TerminalProfile> = {
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
