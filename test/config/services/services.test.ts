import { describe, expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

const HEALTHY = '[[service]]\nname = "healthz"\nworkflow.contract = "gc.healthz.v1"\n'
const ECHO = '[[service]]\nname = "echo"\nkind = "proxy_process"\nprocess.command = ["echo-server", "--quiet"]\n'
const PACK = '[pack]\nname = "chat"\nschema = 2\n'
const IMPORT = '[imports.chat]\nsource = "./packs/chat"\n'

function composed(files: Record<string, string>) {
  using city = cityFiles(files)
  const { config, errors, broken, warnings } = compose(new FileSnapshot(city.path))
  return {
    path: city.path,
    services: config.services,
    names: config.services.map(({ name }) => name),
    errors: errors.map(formatDiagnostic),
    broken: broken.map(formatDiagnostic),
    warnings: warnings.map(formatDiagnostic),
  }
}

describe('a service', () => {
  test('has defaults for what its declaration leaves out', () => {
    const { services, path, warnings } = composed({ 'city.toml': HEALTHY + ECHO })
    expect(warnings).toEqual([])
    expect(services.map(({ block: _, ...service }) => service)).toEqual([
      {
        ...{ name: 'healthz', kind: 'workflow', publishMode: 'private', visibility: 'private', hostname: 'healthz' },
        ...{ allowWebsockets: false, stateRoot: '.gc/services/healthz', folder: path, command: [] },
        responseTimeout: 60_000,
        contract: 'gc.healthz.v1',
      },
      {
        ...{ name: 'echo', kind: 'proxy_process', publishMode: 'private', visibility: 'private', hostname: 'echo' },
        ...{ allowWebsockets: false, stateRoot: '.gc/services/echo', folder: path, responseTimeout: 60_000 },
        command: ['echo-server', '--quiet'],
      },
    ])
  })

  test('takes every field, also under the name [[services]]', () => {
    const text = `[[services]]
name = "echo"
kind = "proxy_process"
publish_mode = "direct"
state_root = ".gc/services/shared/"
[services.publication]
visibility = "private"
hostname = "echo-1"
allow_websockets = true
[services.process]
command = ["./serve"]
health_path = "/healthz?full=1"
response_timeout = "2m"
`
    const { services, warnings } = composed({ 'city.toml': text })
    expect(warnings).toEqual([])
    expect(services[0]).toMatchObject({
      ...{ publishMode: 'direct', visibility: 'public', hostname: 'echo-1', allowWebsockets: true },
      ...{ stateRoot: '.gc/services/shared', healthPath: '/healthz?full=1', responseTimeout: 120_000 },
    })
  })

  test('of a pack runs in the folder of the pack, and may share its state with others of the pack', () => {
    const shared = 'state_root = ".gc/services/chat"\n'
    const two = ECHO.replace('name =', `${shared}name =`)
    const { services, broken, path } = composed({
      'city.toml': IMPORT + HEALTHY,
      'packs/chat/pack.toml': PACK + two + two.replace('"echo"', '"admin"'),
    })
    expect(broken).toEqual([])
    expect(services.map(({ name, folder, pack }) => [name, folder.replace(path, ''), pack])).toEqual([
      ['echo', '/packs/chat', 'chat'],
      ['admin', '/packs/chat', 'chat'],
      ['healthz', '', undefined],
    ])
  })

  test('of the city’s own pack may share their state as well', () => {
    const two = ECHO.replace('name =', 'state_root = ".gc/services/chat"\nname =')
    const { services, broken } = composed({
      'city.toml': '',
      'pack.toml': PACK + two + two.replace('"echo"', '"admin"'),
    })
    expect([services.map(({ name }) => name), broken]).toEqual([['echo', 'admin'], []])
  })
})

const process = (line: string) => `[[service]]\nname = "bad"\nkind = "proxy_process"\n${line}\n`
const workflow = (line: string) => `[[service]]\nname = "bad"\n${line}\n`
const COMMAND = 'process.command = ["x"]'
const CONTRACT = 'workflow.contract = "gc.healthz.v1"'

/** Each field broken once: the block, the line and key of the sentence, and what it says. */
const BROKEN: readonly [what: string, text: string, line: number, key: string, says: string][] = [
  [
    'a name with a space',
    `[[service]]\nname = "a b"\n${CONTRACT}\n`,
    2,
    '[[service]] name',
    'must start with a letter',
  ],
  ['another kind', workflow(`kind = "cron"\n${CONTRACT}`), 3, '[[service]] kind', 'must be workflow or proxy_process'],
  [
    'another way to publish',
    workflow(`publish_mode = "open"\n${CONTRACT}`),
    3,
    '[[service]] publish_mode',
    'must be private or direct',
  ],
  [
    'state outside of its folder',
    workflow(`state_root = ".gc/services/../x"\n${CONTRACT}`),
    3,
    '[[service]] state_root',
    'must be a folder under .gc/services/',
  ],
  [
    'the folder of all states',
    workflow(`state_root = ".gc/services"\n${CONTRACT}`),
    3,
    '[[service]] state_root',
    'must be a folder under .gc/services/',
  ],
  [
    'another visibility',
    workflow(`${CONTRACT}\npublication.visibility = "secret"`),
    4,
    '[service.publication] visibility',
    'must be private or public or tenant',
  ],
  [
    'a host name of two labels',
    workflow(`${CONTRACT}\npublication.hostname = "a.b"`),
    4,
    '[service.publication] hostname',
    'must be one label',
  ],
  [
    'a word for a boolean',
    workflow(`${CONTRACT}\npublication.allow_websockets = "yes"`),
    4,
    '[service.publication] allow_websockets',
    'must be true or false',
  ],
  [
    'no contract',
    workflow('publish_mode = "private"'),
    1,
    '[[service]] workflow',
    'is required: contract = "gc.healthz.v1"',
  ],
  [
    'another contract',
    workflow('workflow.contract = "gc.magic.v9"'),
    3,
    '[service.workflow] contract',
    '"gc.magic.v9" is not known',
  ],
  [
    'a process of a workflow',
    workflow(`${CONTRACT}\n${COMMAND}`),
    4,
    '[[service]] process',
    'is for services of kind "proxy_process"',
  ],
  [
    'a contract of a process',
    process(`${COMMAND}\n${CONTRACT}`),
    5,
    '[[service]] workflow',
    'is for services of kind "workflow"',
  ],
  ['no command', process('process.health_path = "/"'), 4, '[service.process] command', 'is required: command = ['],
  ['an empty command', process('process.command = []'), 4, '[service.process] command', 'is required: command = ['],
  [
    'a command in one text',
    process('process.command = "x --y"'),
    4,
    '[service.process] command',
    'must be a list of strings',
  ],
  [
    'a relative path of health',
    process(`${COMMAND}\nprocess.health_path = "healthz"`),
    5,
    '[service.process] health_path',
    'must be a path that begins with "/"',
  ],
]

describe('a service that is declared wrongly does not run, and the others do', () => {
  test.each(BROKEN)('%s', (_what, text, line, key, says) => {
    const { services, errors, broken, warnings } = composed({ 'city.toml': text + HEALTHY + ECHO })
    expect(errors).toEqual([])
    expect(broken[0]).toStartWith(`city.toml:${line}: ${key}: `)
    expect(broken[0]).toContain(says)
    expect(broken[0]).toEndWith('the service does not run until this is fixed')
    expect(warnings).toEqual(broken)
    expect(services.map(({ broken: why }) => why !== undefined)).toEqual([true, false, false])
    expect(services[0]?.broken).toStartWith(`city.toml:${line}: ${key}: `)
  })

  test('one without a name is not listed', () => {
    const { names, errors, broken } = composed({ 'city.toml': `[[service]]\n${CONTRACT}\n${HEALTHY}` })
    expect({ names, errors }).toEqual({ names: ['healthz'], errors: [] })
    expect(broken).toEqual(['city.toml:1: [[service]] name: is required; the service does not run until this is fixed'])
  })

  test('the second of a name is not listed, and the first runs', () => {
    const { services, broken } = composed({ 'city.toml': HEALTHY + HEALTHY })
    expect(services.map(({ name, broken: why }) => [name, why])).toEqual([['healthz', undefined]])
    expect(broken[0]).toContain('city.toml:5: [[service]] name: service "healthz" is declared at city.toml:1 already')
  })

  test('the second of a folder of state, unless both are of one pack', () => {
    const { services, broken } = composed({
      'city.toml': `${IMPORT}${HEALTHY}state_root = ".gc/services/echo"\n`,
      'packs/chat/pack.toml': PACK + ECHO,
    })
    expect(services.map(({ name, broken: why }) => [name, why === undefined])).toEqual([
      ['echo', true],
      ['healthz', false],
    ])
    expect(broken[0]).toContain('belongs to service "echo"; only services of one pack may share a folder')
  })

  test('one of a pack that is published as direct, or has a key that no one knows', () => {
    const { services, errors, broken } = composed({
      'city.toml': IMPORT + HEALTHY,
      'packs/chat/pack.toml': `${PACK}${ECHO}publish_mode = "direct"\n${ECHO.replace('"echo"', '"other"')}colour = 1\n`,
    })
    expect(errors).toEqual([])
    expect(services.map(({ name, broken: why }) => [name, why !== undefined])).toEqual([
      ['echo', true],
      ['other', true],
      ['healthz', false],
    ])
    expect(broken[0]).toContain(
      'packs/chat/pack.toml:8: [[service]] publish_mode: a service of a pack is not published',
    )
    expect(broken[1]).toContain('packs/chat/pack.toml:13: [[service]] colour: is not a key of this section')
  })
})
