import { resolve } from 'node:path'
import { commandIn, dialog, fetchOf, splitRows } from '../parts/index.ts'
import type { AskedSubject, AskedText, TerminalProfile } from '../terminal-profile.ts'

/** Screen patterns; the text before its input line shows the approval mode. */
export const geminiScreens: Partial<TerminalProfile> = {
  readyPrefixes: ['> ', '* ', '! '],
  ready: /Type your message|workspace \(\/directory\)/,
  // Behind its spinner, where an agent writes nothing.
  busy: /^ ?[\u2800-\u28ff] .*\(esc to cancel/im,
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
  subject: geminiSubject,
  interrupt: ['\x1b'],
}

const SERVER_TOOL = /^Allow execution of MCP tool "([^"]+)" from server "([^"]+)"\?$/
const URLS = 'URLs to fetch:'

/**
 * Subject of a question: an agent's explanation is above the first blank row, and paths are relative to the folder it
 * started in.
 */
function geminiSubject({ prompt, text }: AskedText, folder: string): AskedSubject | undefined {
  const { head, body } = splitRows(text)
  const [heading = ''] = head
  const tool = SERVER_TOOL.exec(prompt)
  if (tool) return { kind: 'tool', server: tool[2] ?? '', tool: tool[1] ?? '' }
  if (prompt === 'Allow execution of [Shell]?' && heading.startsWith('? Shell')) return commandIn(body)
  if (prompt === 'Apply this change?') {
    const [, written] = /^\? WriteFile {2}Writing to (\S+)$/.exec(heading) ?? []
    const [, edited] = /^\? Edit {2}(\S+): /.exec(heading) ?? []
    const path = written ?? edited
    // A long path is shortened in its middle.
    return path === undefined || path.includes('...') ? undefined : { kind: 'write', paths: [resolve(folder, path)] }
  }
  const at = body.indexOf(URLS)
  if (!/^\? {2}WebFetch /.test(heading) || at < 0) return undefined
  return fetchOf(body.slice(at + 1).map((row) => row.replace(/^ - /, '')))
}
