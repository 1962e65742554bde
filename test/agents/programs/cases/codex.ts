import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../asked-program.ts'
import type { Script } from '../model-server.ts'
import { codex } from '../programs.ts'
import { ASKING, type AskedCase, asks, CALL, COLOURS, calls, commands, SIZES, servers, startup, write } from './case.ts'

const settings = ({ home }: Place) => join(home, '.codex', 'config.toml')
const withServer = (place: Place): void =>
  appendFileSync(settings(place), `\n[mcp_servers.deploy]\n${toToml(servers.deploy)}startup_timeout_sec = 60\n`)
const toToml = (table: object): string =>
  Object.entries(table)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`)
    .join('')
const deploy = (tool: string): Script => calls({ tool, namespace: 'mcp__deploy', input: CALL })

export const codexCases = (): AskedCase[] => [
  ...commands(codex),
  asks(
    codex,
    'an edit',
    ['hello.txt', '+hello', '+world'],
    calls({
      tool: 'exec_command',
      input: {
        cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: hello.txt\n+hello\n+world\n*** End Patch\nEOF",
      },
    }),
  ),
  asks(codex, 'a tool of a server', ['production', '1.2.3'], deploy('ship'), { prepare: withServer }),
  asks(
    codex,
    'a question of a server',
    ['Sure', 'Whether you are sure'],
    deploy('confirm'),
    {
      prepare(place) {
        withServer(place)
        appendFileSync(settings(place), '[mcp_servers.deploy.tools.confirm]\napproval_mode = "approve"\n')
      },
    },
    'choice',
  ),
  asks(
    codex,
    'two questions',
    [],
    calls({
      tool: 'request_user_input',
      input: {
        questions: [
          { id: 'colour', ...COLOURS },
          { id: 'size', ...SIZES },
        ],
      },
    }),
    { args: ['-c', 'features.default_mode_request_user_input=true'] },
    'choice',
  ),
  startup(codex, 'a folder to trust', 'trust', ['Folder access', '/work', 'Continue only if you trust these files'], {
    ...ASKING.codex,
    prepare: (place) => {
      Bun.spawnSync(['git', 'init', '--quiet', place.work])
      write(settings(place), readFileSync(settings(place), 'utf8').replace(/\[projects[\s\S]*$/, ''))
    },
  }),
  {
    ...startup(codex, 'a login', 'login', [], {
      prepare: ({ home }) => write(join(home, '.codex', 'config.toml'), ''),
    }),
    wantsMore: /Device Code/,
  },
]
