import { expect, test } from 'bun:test'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { recorder } from './shell.ts'

/** The value of every option that several commands of gc have, and what it means where that is not in its name. */
const MEANINGS: Readonly<Record<string, string>> = {
  '--account-id': '<id>',
  '--actor': '<name>',
  '--after': '<number>',
  '--agent': '<agent>',
  '--all': '(include |approve every|send to every)',
  '--allow-host': '<name>',
  '--allow-origin': '<origin>',
  '--any': 'wake it after the first',
  '--apply': '(apply the plan|remove them)',
  '--assignee': '<who>',
  '--bead': '<bead>',
  '--body': '<file>',
  '--branch': '<branch>',
  '--check-timeout': '<duration>',
  '--command': '<command>',
  '--confine': '<mode>',
  '--conversation-id': '<id>',
  '--cursor': '<cursor> cursor of the previous page',
  '--delete': 'also remove',
  '--delivery': '<when>',
  '--description': '<text>',
  '--display-name': '<name> name to display',
  '--dry-run': '(print|check|list|show) .*(change nothing|write nothing|deliver nothing)',
  '--effects': '<effect...>',
  '--file': '<file>',
  '--fix': '(fix|correct)',
  '--follow': 'follow new',
  '--force': '(.*even |include beads|replace )',
  '--format': '<template> print by a Go template',
  '--fresh': '(start a new conversation|check again)',
  '--from': '<who>',
  '--global': '(apply to|list those of|remove the one of) all cities',
  '--home': '<folder>',
  '--host': '<host>',
  '--json': 'print (one line of )?JSON',
  '--keep-sessions': 'leave agents running',
  '--kind': '<kind>',
  '--label': '<label>',
  '--limit': '<n> maximum rows',
  '--lines': '<n> number of last lines',
  '--log': '<file>',
  '--max': '<n> maximum sessions',
  '--merge': '<way> merge strategy',
  '--mermaid': 'print a Mermaid diagram',
  '--message': '<text>',
  '--metadata': '<key=value>',
  '--model': '<model>',
  '--name': '<name>',
  '--no-require-token': 'accept requests without a token',
  '--no-share-login': 'hide your login',
  '--no-wait': 'do not wait for its delivery',
  '--no-worktree': 'run sessions in the folder of the rig',
  '--note': '<text>',
  '--only': '<part>',
  '--owned': 'keep ',
  '--parent': '<bead>',
  '--parent-conversation-id': '<id>',
  '--per': '<period>',
  '--permission-mode': '<mode>',
  '--port': '<port>',
  '--priority': '<level>',
  '--prompt': '<text>',
  '--provider': '<provider>',
  '--public-listen': '<[address:]port>',
  '--public-url': '<url>',
  '--read': '<path>',
  '--read-only': '(reject every change|send no input)',
  '--readers': '<n>',
  '--reason': '<text>',
  '--reply-to': '<id>',
  '--request': '<id> question ',
  '--require-token': 'require a token',
  '--rig': '<rig>',
  '--scope-id': '<name>',
  '--session': '<session>',
  '--share-login': 'give its sandboxed sessions your login',
  '--since': '<time> since a date, or an age',
  '--social-listen': '<[address:]port>',
  '--sort': '<order>',
  '--stat': 'only the number of changed lines',
  '--state': '<state>',
  '--status': '<status>',
  '--subject': '<text>',
  '--submolt': '<name>',
  '--text': '<text>',
  '--timeout': '<duration> timeout',
  '--title': '<title>',
  '--to': '<who>',
  '--tree': '(print each bead below its parent|include the imports)',
  '--type': '<type>',
  '--unread': 'only unread',
  '--until': '<moment>',
  '--var': '<key=value>',
  '--watch': 'update on every change',
  '--worktree': 'give each session a git worktree',
  '--write': '<path>',
  '--yes': '(use defaults|install|remove|stop) .*without asking|use defaults without asking|remove without asking',
}

/** The long option of every short one. */
const SHORT: Readonly<Record<string, string>> = {
  '-F': '--field',
  '-H': '--header',
  '-V': '--version',
  '-X': '--method',
  '-a': '--assignee',
  '-d': '--description',
  '-f': '--follow',
  '-h': '--help',
  '-i': '--show-headers',
  '-l': '--label',
  '-m': '--message',
  '-n': '--lines or --limit',
  '-o': '--output',
  '-p': '--priority',
  '-q': '--quiet',
  '-r': '--reason',
  '-s': '--subject',
  '-t': '--title',
  '-u': '--unassigned',
  '-v': '--verbose',
  '-w': '--watch',
}

/** Options to which the known `gc` and `bd` give another meaning. */
const KNOWN = [
  ...['gc agent add --dir', 'gc handoff --auto', 'gc hook --inject', 'gc init --from', 'gc init --template'],
  ...[
    'gc convoy create --target',
    'gc rig land --target',
    'gc handoff --target',
    'gc events --watch',
    'gc import add --version',
  ],
  ...['gc formula preview --target', 'gc start -n', 'gc sling -n', 'gc sling -f', 'gc version -l', 'gc ready -t'],
]

interface Use {
  /** The option as a command line has it, with its command. */
  readonly name: string
  readonly long: string
  readonly short: string | undefined
  readonly value: string
  readonly description: string
}

const program = await createProgram(recorder().io)

/** The visible options of a command and of those below it; options without effect are left out. */
function usesOf(command: Command, path: string): Use[] {
  const help = command.createHelp()
  const own = help
    .visibleOptions(command)
    .filter(({ description, long }) => long !== '--help' && !/^(?:accepted|do nothing)/.test(description))
    .map(({ long, short, flags, description }) => {
      const value = /(?:<.*>|\[.*\])$/.exec(flags)?.[0] ?? ''
      return { name: path, long: long ?? '', short, value, description }
    })
  return [...own, ...help.visibleCommands(command).flatMap((inner) => usesOf(inner, `${path} ${inner.name()}`))]
}

const uses = usesOf(program, 'gc')
const isKnown = (name: string, flag: string) => KNOWN.includes(`${name} ${flag}`)

test('an option of several commands takes the same value and means the same, except where the known gc differs', () => {
  const own = uses.filter(({ name, long }) => !isKnown(name, long))
  const shared = [...Map.groupBy(own, ({ long }) => long)].filter(([, each]) => each.length > 1)
  expect(shared.map(([long]) => long).sort()).toEqual(Object.keys(MEANINGS).sort())
  const wrong = shared.flatMap(([long, each]) =>
    each
      .filter(({ value, description }) => {
        const meaning = MEANINGS[long] ?? ''
        const [, expected = '', words = ''] = /^(<[^>]*>)? ?(.*)$/.exec(meaning) ?? []
        const isMeant =
          [expected, expected.replace('>', 'es>')].includes(value) && new RegExp(`^(?:${words})`).test(description)
        return !isMeant
      })
      .map(({ name, value, description }) => `${name} ${long} ${value}: ${description}`),
  )
  expect(wrong).toEqual([])
})

test('a short option stands for one long option, except where the known gc differs', () => {
  const wrong = uses.flatMap(({ name, long, short }) =>
    short === undefined || SHORT[short]?.split(' or ').includes(long) || isKnown(name, short)
      ? []
      : [`${name} ${short}: ${long}`],
  )
  expect(wrong).toEqual([])
})

test('older spellings of options are hidden, and set the option that replaced them', async () => {
  const spelled: readonly (readonly [command: string, words: string[], key: string, value: unknown])[] = [
    ['run retry', ['--from', 'build'], 'step', 'build'],
    ['mail list', ['--agent', 'human'], 'to', 'human'],
    ['session transcript', ['--format', 'raw'], 'view', 'raw'],
    ['upgrade', ['--from', './gc'], 'binary', './gc'],
    ['upgrade', ['--check'], 'available', true],
    ['rig land', ['--label', 'a,b'], 'labels', ['a', 'b']],
    ['land retry', ['--why', 'flaky'], 'reason', 'flaky'],
    ['api', ['-f', 'title=Paint'], 'rawField', [{ key: 'title', value: 'Paint', isTyped: false }]],
    ['order list', ['-a'], 'all', true],
    ['worktree restore', ['--to', 'x'], 'folder', 'x'],
  ]
  const fresh = await createProgram(recorder().io)
  for (const [name, words, key, value] of spelled) {
    const command = name
      .split(' ')
      .reduce<Command | undefined>((outer, word) => outer?.commands.find((each) => each.name() === word), fresh)
    command?.parseOptions(words)
    expect({ name, words, value: command?.getOptionValue(key) }).toEqual({ name, words, value })
    expect(command?.createHelp().visibleOptions(command)).not.toContainEqual(
      expect.objectContaining({ long: words[0] }),
    )
  }
})
