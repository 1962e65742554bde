import { commandIn, dialog, fetchOf, splitRows } from '../parts/index.ts'
import type { AskedSubject, AskedText, TerminalProfile } from '../terminal-profile.ts'

export const claudeScreens: Partial<TerminalProfile> = {
  placeholder: /^Try "/,
  busy: /esc to interrupt/i,
  status: /^─{20,}\s*$/,
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
  // Below the rule under its input line.
  waits: /^─{20,}[^\S\n]*\n\s+⚠ usage limit reached(?![\s\S]*^─{20,})[\s\S]*continuing automatically/im,
  // At the first column, where nothing that an agent writes is drawn.
  top: /^(?:─{20,}|▔{20,}.*▔)\s*$/,
  cut: /^\s*[↑↓] \d+ more lines?|\s[↑↓]\s*$/,
  // Dots stand between two rules until the diff is known.
  drawing: /^╌{20,}\s*\n…\s*\n╌{20,}/m,
  texts: [{ label: /^(?:type something|tell claude what to change)/i, text: 'required' }],
  subject: claudeSubject,
  interrupt: ['\x1b'],
  tick: ' ',
  clear: '\x15\x7f',
}

const EDITS = /^Do you want to (?:make this edit to|create|overwrite) \S.*\?$/
const EDIT_HEADINGS: ReadonlySet<string> = new Set(['Edit file', 'Create file', 'Overwrite file'])
/** The row below a command that says why it asks. Without one that is known, a command of several blocks leaves a doubt. */
const REASON = /^(?:This command requires approval|[A-Z].* can.t be checked before it runs\b.*)$/
const TOOL = /^(\S+) — (\S.*) Tool: \(MCP\)$/

/** Its edits name a file from where its shell is now, which nothing here knows: such a path stays relative. Its headings come first; what an agent explains stands above the first blank row, in one piece. */
function claudeSubject({ prompt, text }: AskedText): AskedSubject | undefined {
  const { head, body } = splitRows(text)
  const [heading = '', about = ''] = head
  if (EDITS.test(prompt) && EDIT_HEADINGS.has(heading) && about) return { kind: 'write', paths: [about] }
  if (heading === 'Fetch' && /fetch this content\?$/.test(prompt)) {
    const [, address = ''] = /^url: (.*)$/.exec(body[0] ?? '') ?? []
    return fetchOf([address])
  }
  if (prompt !== 'Do you want to proceed?') return undefined
  const tool = heading === 'Tool use' ? TOOL.exec(about) : null
  if (tool) return { kind: 'tool', server: tool[1] ?? '', tool: tool[2] ?? '' }
  const [, read] = /^Read\((\/\S*)\)$/.exec(body.join('\n')) ?? []
  if (heading === 'Read file' && head.length === 1 && read !== undefined) return { kind: 'read', paths: [read] }
  if (heading !== 'Bash command') return undefined
  if (REASON.test(body.at(-1) ?? '') && body.at(-2) === '') return commandIn(body.slice(0, -2))
  return body.includes('') ? undefined : commandIn(body)
}
