import { protocolPrefixes } from '../protocol/index.ts'

/** Words and blanks that mean themselves to a shell. */
const PLAIN = '[\\w@%+=:,./ -]*'
/** Quoted text, as JSON writes it; nothing in it is read by a shell. */
const QUOTED = [`'[^'\\\\"]*'`, '\\\\"[^\\\\"$`]*\\\\"']
const MOST_QUOTED = 4

/** Text that may follow the first words of a command: none, or a number of quoted words. */
const TAILS: readonly string[] = ['', ...tails(MOST_QUOTED).map((tail) => ` ${tail}`)]

function tails(quoted: number): string[] {
  if (quoted === 0) return [PLAIN]
  const fewer = tails(quoted - 1)
  return [PLAIN, ...QUOTED.flatMap((text) => fewer.map((tail) => `${PLAIN}${text}${tail}`))]
}

/**
 * The rules by which Gemini CLI runs gc's own protocol without asking. They have no groups that repeat, which it would refuse
 * as patterns that may take forever.
 */
export function policyText(): string {
  const roots = Map.groupBy(protocolPrefixes(), (words) => (words[1] === 'bd' ? 'gc bd' : words[0]))
  const patterns = [...roots].flatMap(([root = '', prefixes]) => {
    const names = prefixes.map((words) => words.join(' ').slice(root.length + 1))
    return TAILS.map((tail) => `\\x00"command":"${root} (?:${names.join('|')})${tail}"\\x00`)
  })
  return [...patterns.map(rule), ELSEWHERE].join('\n')
}

/**
 * Its dialogs do not show the folder of a command where that is an input of its own. The hook of gc puts it into the command;
 * without the hook, the agent has to.
 */
const ELSEWHERE = `[[rule]]
toolName = "run_shell_command"
argsPattern = '''\\x00"(?:dir_path|directory)":"[^"]'''
decision = "deny"
priority = 899
denyMessage = "Put the folder into the command, as in: cd <folder> && <command>. People who are asked about it see it there."
`

const rule = (pattern: string): string => `[[rule]]
toolName = "run_shell_command"
argsPattern = '''${pattern}'''
decision = "allow"
priority = 900
`
