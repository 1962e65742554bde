import type { Command } from 'commander'
import type { Bead } from '../../src/work/beads/index.ts'
import { isGlobMatch } from '../bead/filter.ts'
import { isWork } from '../bead/work.ts'
import { parseDate } from '../context/dates.ts'
import { parseCount } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import type { BdContext } from './context.ts'
import { ORDERS, sortOption } from './list.ts'

interface Options {
  limit: number
  all?: true
  sort: string
  reverse?: true
  parseOnly?: true
}

/** `bd query`: beads that match an expression such as `status=open AND priority<2`. */
export function queryCommand(program: Command, bd: BdContext): void {
  program
    .command('query')
    .description('list the beads that match an expression')
    .argument('<expression...>', 'expression, such as "status=open AND priority<2"')
    .option('-n, --limit <n>', 'maximum rows; 0 for all', parseCount, 50)
    .option('-a, --all', 'include closed beads')
    .addOption(sortOption().default('priority'))
    .option('-r, --reverse', 'reverse the order')
    .option('--long', 'accepted')
    .option('--parse-only', 'only check the expression')
    .addHelpText(
      'after',
      `\nFields: ${[...Object.keys(TEXTS), ...Object.keys(DATES), 'priority', 'label'].join(', ')}.`,
    )
    .action(bd.run((words: string[], options: Options) => query(bd, words.join(' '), options)))
}

async function query(bd: BdContext, expression: string, options: Options): Promise<void> {
  const matches = parse(expression)
  if (options.parseOnly) return bd.print.line('The expression can be read.')
  const namesStatus = /\b(status|closed)\s*[=!<>]/i.test(expression)
  const beads = await bd.list({ all: options.all || namesStatus, rig: await bd.rig() })
  const found = beads.filter((bead) => (isWork(bead) || /\btype\s*=/i.test(expression)) && matches(bead))
  found.sort(ORDERS[options.sort])
  if (options.reverse) found.reverse()
  const shown = options.limit === 0 ? found : found.slice(0, options.limit)
  if (bd.print.json) return bd.printList(shown)
  if (shown.length === 0) return bd.print.line('No bead matches.')
  for (const bead of shown) bd.print.bead(bead)
}

type Test = (bead: Bead) => boolean

/** A test of beads from an expression; throws a usage error that names what cannot be read. */
function parse(expression: string): Test {
  const tokens = expression.match(/\(|\)|"[^"]*"|'[^']*'|[!<>]=|[=<>]|[^\s()=!<>"']+/g) ?? []
  let at = 0
  const isWord = (word: string) => tokens[at]?.toUpperCase() === word
  const either = (): Test => {
    let left = both()
    while (isWord('OR')) {
      at++
      const [one, other] = [left, both()]
      left = (bead) => one(bead) || other(bead)
    }
    return left
  }
  const both = (): Test => {
    let left = single()
    while (isWord('AND')) {
      at++
      const [one, other] = [left, single()]
      left = (bead) => one(bead) && other(bead)
    }
    return left
  }
  const single = (): Test => {
    if (isWord('NOT')) {
      at++
      const inner = single()
      return (bead) => !inner(bead)
    }
    if (tokens[at] !== '(') return comparison(tokens[at++], tokens[at++], tokens[at++])
    at++
    const inner = either()
    if (tokens[at++] !== ')') throw usageError('the expression has no ) for a (')
    return inner
  }
  const test = either()
  if (at < tokens.length) throw usageError(`unexpected text after the expression: ${tokens.slice(at).join(' ')}`)
  return test
}

const TEXTS: Readonly<Record<string, (bead: Bead) => string | undefined>> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  type: ({ issue_type: type }) => type,
  assignee: ({ assignee }) => assignee,
  owner: ({ metadata }) => metadata?.owner,
  title: ({ title }) => title,
  description: ({ description }) => description,
  notes: ({ metadata }) => metadata?.notes,
  spec: ({ metadata }) => metadata?.spec_id,
  parent: ({ parent }) => parent,
  mol_type: ({ metadata }) => metadata?.mol_type,
  pinned: ({ status }) => String(status === 'pinned'),
  ephemeral: ({ ephemeral }) => String(ephemeral === true),
  template: ({ metadata }) => metadata?.is_template ?? 'false',
}
/** Fields in which a text is looked for. */
const CONTAINING = new Set(['title', 'description', 'notes'])

const DATES: Readonly<Record<string, (bead: Bead) => string | undefined>> = {
  created: ({ created_at }) => created_at,
  updated: ({ updated_at, created_at }) => updated_at ?? created_at,
  started: ({ metadata }) => metadata?.started_at,
  closed: ({ status, metadata, updated_at }) => (status === 'closed' ? (metadata?.closed_at ?? updated_at) : undefined),
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function comparison(name = '', operator = '', given = ''): Test {
  const compare = COMPARISONS[operator]
  const field = name.toLowerCase()
  const value = given.replace(/^(["'])(.*)\1$/s, '$2')
  if (name === '') throw usageError('the expression ends too early: a comparison such as status=open is missing')
  if (!compare || value === '') throw usageError(`write a comparison as field=value, not ${name}${operator}${given}`)
  if (field === 'priority') return (bead) => compare(bead.priority ?? 2, Number(value.replace(/^p/i, '')))
  const date = DATES[field]
  if (date) {
    const limit = parseDate(value)
    return (bead) => {
      const at = date(bead)
      return at !== undefined && compare(Date.parse(at), limit)
    }
  }
  if (operator !== '=' && operator !== '!=') throw usageError(`${name} can be compared with = and != only`)
  const isWanted = operator === '='
  if (field === 'label' || field === 'labels') {
    return ({ labels = [] }) => (value === 'none' ? labels.length === 0 : labels.includes(value)) === isWanted
  }
  const text = TEXTS[field]
  if (!text) throw usageError(`beads have no field ${name}; \`bd query --help\` lists the fields`)
  return (bead) => matchesText(text(bead) ?? '', value, CONTAINING.has(field)) === isWanted
}

function matchesText(text: string, value: string, contains: boolean): boolean {
  if (value === 'none') return text === ''
  if (contains) return text.toLowerCase().includes(value.toLowerCase())
  return isGlobMatch(text.toLowerCase(), value.toLowerCase())
}
