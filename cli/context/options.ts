import { type Command, InvalidArgumentError, Option } from 'commander'

/** The option of every command that can print JSON. */
export interface JsonOption {
  json?: true
}

export const withJson = (command: Command): Command =>
  command
    .option('--json', 'print JSON; --json=id,title prints these fields')
    .addOption(new Option('--fields <fields>').hideHelp())
    .option('--format <template>', 'print by a Go template, such as "{{.id}} {{.title}}"')

/** An older spelling of an option: hidden from the help, and read into the attribute of the new one. */
class OldSpelling extends Option {
  constructor(
    flags: string,
    private readonly attribute: string,
  ) {
    super(flags)
    this.hideHelp()
  }

  override attributeName(): string {
    return this.attribute
  }
}

export const oldSpelling = (flags: string, attribute: string): Option => new OldSpelling(flags, attribute)

/** The settings of a new agent that a conversation asks for. */
export interface AgentSettingOptions {
  worktree?: boolean
  permissionMode?: string
  model?: string
  confine?: 'default' | 'network' | 'off'
  shareLogin?: boolean
  yes?: true
}

export const withAgentSettings = (command: Command): Command =>
  command
    .option('--worktree', 'give each session a git worktree of its own')
    .option('--no-worktree', 'run sessions in the folder of the rig')
    .option('--permission-mode <mode>', 'permission mode of its program, such as ask or auto-edit')
    .option('--model <model>', 'model of its program')
    .addOption(new Option('--confine <mode>', 'sandbox of its sessions').choices(['default', 'network', 'off']))
    .option('--share-login', 'give its sandboxed sessions your login')
    .option('--no-share-login', 'hide your login from its sandboxed sessions')

/** The options of a command that prints one page of a list. */
export const withPaging = (command: Command): Command =>
  withJson(command)
    .option('--limit <n>', 'maximum rows', parseCount)
    .option('--cursor <cursor>', 'cursor of the previous page')

/** Parses an integer of 0 or more. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be an integer of 0 or more.')
  return Number(text)
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration to milliseconds: `30s`, `10m`, `2h`, `7d`; a number alone is in seconds. */
export function parseDurationOption(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})([smhd])?$/.exec(text) ?? []
  if (amount === undefined) throw new InvalidArgumentError('It must be a duration, such as 30s, 10m or 2h.')
  return Number(amount) * (UNITS[unit] ?? 0)
}

/** Parses a priority: `1` or `P1`. */
export function parsePriority(text: string): number {
  const [, digit] = /^[Pp]?([0-4])$/.exec(text) ?? []
  if (digit === undefined) throw new InvalidArgumentError('It must be 0 to 4, or P0 to P4.')
  return Number(digit)
}

/** Collects the values of an option that is repeated or separated by commas. */
export const collectList = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== ''),
]

/** Collects the pairs of a repeated `key=value` option. */
export function collectPair(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must look like key=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
