import { expect, test } from 'bun:test'
import { type Composition, compose } from '../../../src/config/compose/compose.ts'
import { type Grantor, type Profile, profileOf } from '../../../src/config/confinement/profile.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import { explainFields } from '../../../src/config/views/explain.ts'
import { cityFiles } from '../city-files.ts'

const RIG = '[[rigs]]\nname = "shop"\npath = "/srv/shop"\n'
const PACK = (name: string) => `[pack]\nname = "${name}"\nschema = 2\n`

function composed(files: Readonly<Record<string, string>>): Composition {
  using city = cityFiles(files)
  return compose(new FileSnapshot(city.path))
}

const messages = ({ errors }: Composition) =>
  errors.map(({ file, line, key, message }) => `${file}:${line} ${key} ${message}`)

function profile({ config }: Composition, name: string): Profile {
  const agent = config.agents.find(({ qualified }) => qualified === name)
  return profileOf({
    agent: agent?.confineTable,
    rig: config.rigs.find((rig) => rig.name === agent?.dir)?.confine,
    provider: agent?.provider === undefined ? undefined : resolveProvider(agent.provider, config.providers).confine,
  })
}

test('permissions of provider, rig and agent add up, and the lowest share applies, each with its line', () => {
  const city = composed({
    'city.toml': `[providers.mine]
command = "x"
[providers.mine.confine]
allow_hosts = ["API.example.com"]
share = { memory = "2GB", cpu = 0.5 }
[[rigs]]
name = "shop"
path = "/srv/shop"
[rigs.confine]
read = ["/srv/data"]
[[agent]]
name = "w"
dir = "shop"
provider = "mine"
confine = { mode = "network", write = ["~/cache"], ports = [5432], allow_hosts = ["*.example.org:8443"] }
[agent.env]
A = "1"
`,
  })
  expect(messages(city)).toEqual([])
  expect(city.config.agents.find(({ name }) => name === 'w')?.confine).toBe('network')
  const at = (by: Grantor, line: number) => ({ by, file: 'city.toml', line })
  expect(profile(city, 'shop/w')).toEqual({
    read: [{ value: '/srv/data', ...at('rig', 10) }],
    write: [{ value: '~/cache', ...at('agent', 15) }],
    allowHosts: [
      { value: 'api.example.com', ...at('provider', 4) },
      { value: '*.example.org:8443', ...at('agent', 15) },
    ],
    ports: [{ value: 5432, ...at('agent', 15) }],
    unknownHosts: undefined,
    shareLogin: undefined,
    share: {
      cpu: { value: 0.5, ...at('provider', 5) },
      memory: { value: 2 * 1024 ** 3, ...at('provider', 5) },
    },
    withheld: [],
  })
  expect(explainFields(city).find(({ key }) => key === 'confine.write')).toMatchObject({ name: 'shop/w', line: 15 })
})

test('the word of an agent about unknown hosts goes before those of its rig and its provider', () => {
  const toml = (more: string) => `[providers.mine]
command = "x"
confine = { unknown_hosts = "ask" }
[[rigs]]
name = "shop"
path = "/srv/shop"
[[agent]]
name = "w"
dir = "shop"
provider = "mine"
${more}`
  const said = (more: string) => profile(composed({ 'city.toml': toml(more) }), 'shop/w').unknownHosts
  expect(said('')).toEqual({ value: 'ask', by: 'provider', file: 'city.toml', line: 3 })
  expect(said('confine = { unknown_hosts = "refuse" }\n')).toMatchObject({ value: 'refuse', by: 'agent', line: 11 })
})

test('a lower share of the agent or its rig holds, and a patch replaces a list of the agent', () => {
  const city = composed({
    'city.toml': `${RIG}[rigs.confine.share]
pids = 100
[[agent]]
name = "w"
dir = "shop"
start_command = "x"
[agent.confine]
write = ["/a"]
read = ["/b"]
share = { pids = 200 }
[[patches.agent]]
name = "w"
dir = "shop"
confine = { write = ["/c"], mode = "default" }
`,
  })
  expect(messages(city)).toEqual([])
  const { write, read, share } = profile(city, 'shop/w')
  expect([write, read].flat().map(({ value, line }) => [value, line])).toEqual([
    ['/c', 17],
    ['/b', 12],
  ])
  expect(share.pids).toMatchObject({ value: 100, by: 'rig' })
  expect(city.config.agents.find(({ name }) => name === 'w')?.confine).toBe('default')
})

test.each([
  ['confine = "yes"', 'confine must be default or network or off, not "yes"'],
  [
    'confine = { mode = "of" }',
    '[agent.confine] mode must be default or network or off, not "of"; did you mean "off"?',
  ],
  ['confine = { reed = ["/a"] }', '[agent.confine] reed is not a key of this section; did you mean "read"?'],
  ['confine = { read = ["data"] }', '[agent.confine] read "data" must begin with "/", "~/" or "{rig}"'],
  ['confine = { write = ["{rig}/../x"] }', '[agent.confine] write "{rig}/../x" must not lead up by ".."'],
  ['confine = { read = "/a" }', '[agent.confine] read must be a list of strings, not "/a"'],
  [
    'confine = { ports = [0] }',
    '[agent.confine] ports must be a list of numbers from 1 to 65535: ports of this machine',
  ],
  [
    'confine = { ports = "80" }',
    '[agent.confine] ports must be a list of numbers from 1 to 65535: ports of this machine',
  ],
  [
    'confine = { allow_hosts = ["*"] }',
    '[agent.confine] allow_hosts "*" is every host: confine = "network" of an agent allows that',
  ],
  [
    'confine = { allow_hosts = ["https://x.y"] }',
    '[agent.confine] allow_hosts "https://x.y" is not a host: write example.com, *.example.com, 192.0.2.1 or [2001:db8::1], each with :port or without',
  ],
  [
    'confine = { allow_hosts = ["x.y:99999"] }',
    '[agent.confine] allow_hosts "x.y:99999" is not a host: write example.com, *.example.com, 192.0.2.1 or [2001:db8::1], each with :port or without',
  ],
  ['confine = { share = { cpu = 0 } }', '[agent.confine.share] cpu must be a number of processors, such as 2 or 0.5'],
  [
    'confine = { share = { memory = "4 gigs" } }',
    '[agent.confine.share] memory "4 gigs" must be a size of at least 16MB, such as 512MB or 4GB',
  ],
  ['confine = { share = { pids = 1 } }', '[agent.confine.share] pids must be 8 or more, not 1'],
])('%s is refused with its line', (written, message) => {
  const city = composed({ 'city.toml': `[[agent]]\nname = "w"\nstart_command = "x"\n${written}\n` })
  const all = [...city.errors, ...city.allWarnings].map(({ line, key, message }) => `${line} ${key} ${message}`)
  expect(all.join('\n')).toContain(message)
  expect(all.join('\n')).toStartWith('4 ')
})

test('requests of a pack apply only if the city allows them, and a pack can restrict further', () => {
  const files = {
    'pack.toml': `${PACK('town')}[imports.one]\nsource = "packs/one"\n`,
    'packs/one/pack.toml': PACK('one'),
    'packs/one/agents/w/agent.toml':
      'start_command = "x"\nscope = "city"\n[confine]\nmode = "default"\nread = ["~/keys"]\nports = [22]\nunknown_hosts = "ask"\nshare = { pids = 50 }\n',
  }
  const asked = profile(composed({ ...files, 'city.toml': '' }), 'one.w')
  expect([asked.read, asked.ports]).toEqual([[], []])
  expect(asked.withheld.map(({ key, value, pack, line }) => [key, value, pack, line])).toEqual([
    ['read', '~/keys', 'one', 5],
    ['ports', '22', 'one', 6],
    ['unknown_hosts', 'ask', 'one', 7],
  ])
  expect(asked.unknownHosts).toBeUndefined()
  expect(asked.share.pids?.value).toBe(50)
  const granted = composed({
    ...files,
    'city.toml': '[[patches.agent]]\nname = "one.w"\nconfine = { read = ["~/keys"] }\n',
  })
  expect(profile(granted, 'one.w')).toMatchObject({
    read: [{ value: '~/keys', by: 'agent', file: 'city.toml', line: 3 }],
    withheld: [{ key: 'ports' }, { key: 'unknown_hosts' }],
  })
  expect(granted.config.agents.find(({ qualified }) => qualified === 'one.w')?.confine).toBe('default')
})

test('a profile that would void confinement is an error with its line, once, and what a pack asks for is a warning', () => {
  const agent = (name: string) => `[[agent]]\nname = "${name}"\ndir = "shop"\nstart_command = "x"\n`
  const voided = composed({ 'city.toml': `${RIG}[rigs.confine]\nwrite = ["~/.codex"]\n${agent('a')}${agent('b')}` })
  expect(messages(voided)).toEqual([
    expect.stringMatching(/^city.toml:5 confine write "~\/.codex" would void confinement: .*decides what programs do/),
  ])
  const asked = composed({
    'city.toml': '',
    'pack.toml': `${PACK('town')}[imports.one]\nsource = "packs/one"\n`,
    'packs/one/pack.toml': PACK('one'),
    'packs/one/agents/w/agent.toml': 'start_command = "x"\nscope = "city"\n[confine]\nwrite = ["~/.codex"]\n',
  })
  expect(messages(asked)).toEqual([])
  expect(asked.warnings.map(({ message }) => message)).toContain(
    'pack one requests "~/.codex", which is NOT applied: only this city can allow it, with confine = { write = ["~/.codex"] } in a [[patches.agent]] of "one.w"',
  )
})
