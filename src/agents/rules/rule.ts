import { isAbsolute } from 'node:path'
import type { AskedSubject } from '../../programs/terminal-profile.ts'

export const RULE_KINDS = ['command', 'read', 'write', 'fetch', 'tool'] as const
export type RuleKind = (typeof RULE_KINDS)[number]

/** Permission that a person gives from now on. */
export interface Rule {
  readonly id: string
  readonly city: string
  /** The agents that it is for: those of a rig, or one agent; both when both are named. */
  readonly rig: string | undefined
  readonly agent: string | undefined
  readonly kind: RuleKind
  /** The command line, path, host, or `server/tool`. */
  readonly value: string
  /** True if it is also for sessions that are not sandboxed. */
  readonly unconfined: boolean
  readonly added: string
  readonly by: string
  /** End of the rule, in milliseconds. */
  readonly until: number | undefined
  /** The contents of named files that a person has seen: `package.json sha256:…`. */
  readonly reviewed: readonly string[]
}

/** Characters with a meaning of their own in a shell. A line with one is compared whole. */
const META = /[^\w@%+:,./ \t=-]|^\s*\w+=/

/** The arguments of a plain command line; undefined if a shell would interpret parts of it. */
export function argumentsOf(line: string): string[] | undefined {
  return META.test(line) ? undefined : line.trim().split(/[ \t]+/)
}

/** True if a rule of commands allows a line: argument by argument, or to the byte. */
export function allowsLine(value: string, line: string): boolean {
  if (/[\r\n]/.test(line)) return false
  const [allowed, asked] = [argumentsOf(value), argumentsOf(line)]
  if (!allowed || !asked) return value === line
  return allowed.length === asked.length && allowed.every((word, at) => word === asked[at])
}

/** A rule for exactly what a question is about; undefined where that is more than one thing, or a path that depends on a folder. */
export function ruleValue(subject: AskedSubject): string | undefined {
  switch (subject.kind) {
    case 'command':
      return subject.line
    case 'fetch':
      return subject.hosts.length === 1 ? subject.hosts[0] : undefined
    case 'tool':
      return `${subject.server}/${subject.tool}`
    default:
      return subject.paths.length === 1 ? subject.paths.find((path) => isAbsolute(path)) : undefined
  }
}

/** Programs and words that remove, overwrite, publish, or run whatever they are given. */
const DESTRUCTIVE: ReadonlySet<string> = new Set([
  ...[
    'rm',
    'rmdir',
    'dd',
    'shred',
    'truncate',
    'mkfs',
    'fdisk',
    'mv',
    'chmod',
    'chown',
    'ln',
    'kill',
    'pkill',
    'killall',
  ],
  ...['sudo', 'doas', 'su', 'shutdown', 'reboot', 'systemctl', 'crontab', 'eval', 'exec', 'xargs', 'env', 'nohup'],
  ...[
    'sh',
    'bash',
    'zsh',
    'fish',
    'dash',
    'curl',
    'wget',
    'nc',
    'ssh',
    'scp',
    'rsync',
    'docker',
    'kubectl',
    'terraform',
  ],
  ...['push', 'reset', 'clean', 'rebase', 'restore', 'checkout', 'publish', 'deploy', 'release', 'destroy', 'delete'],
  ...['remove', 'drop', 'prune', 'purge', 'wipe', 'uninstall', 'force', 'hard', 'f', 'rf', 'fr', 'D', 'e', 'c', 'eval'],
])

/** True if something may destroy more than a person would want to be done unseen: never suggested as a rule. */
export function isDestructive(subject: AskedSubject): boolean {
  if (subject.kind === 'write') return true
  if (subject.kind === 'tool') return wordsIn(subject.tool).some((word) => DESTRUCTIVE.has(word.toLowerCase()))
  if (subject.kind !== 'command') return false
  const words = argumentsOf(subject.line)
  return words === undefined || words.some((word) => DESTRUCTIVE.has(word) || wordsIn(word).some(isDestroying))
}

const isDestroying = (word: string): boolean => DESTRUCTIVE.has(word) || DESTRUCTIVE.has(word.toLowerCase())

const wordsIn = (text: string): string[] =>
  text
    .replace(/([a-z])(?=[A-Z])/g, '$1 ')
    .split(/[^A-Za-z]+/)
    .filter(Boolean)
