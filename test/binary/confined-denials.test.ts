import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathLine } from '../../src/agents/confinement/allowing-line.ts'
import { saidRefusals } from '../../src/agents/confinement/output-denials.ts'
import { eventually } from '../support/until.ts'
import { confinedTown } from './confined-town.ts'

/** Tries one thing of each kind, each of which says in a file that it was done. */
const script = (ports: { direct: number; named: number; proxied: number }) => `
curl -s http://127.0.0.1:${ports.direct}/ > direct
curl -s --noproxy '' http://localhost:${ports.named}/ > named
curl -s --noproxy '' http://127.0.0.1:${ports.proxied}/ > proxied
curl -s --unix-socket @/socket http://x/ > socket
chmod 711 @/theirs
(cat @/book; echo more >> @/page; @/tool) > files 2>&1
touch done; sleep 600`

const agent = (ports: Parameters<typeof script>[0], lines: readonly string[]) => `[[agent]]
name = "tries"
start_command = '''${script(ports)}'''
[agent.confine]
${lines.join('\n')}
`

test('the lines that are printed for what a session was refused allow all of it, each kind', async () => {
  const serve = (name: string) => Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(name) })
  using direct = serve('direct')
  using named = serve('named')
  using proxied = serve('proxied')
  const ports = { direct: direct.port ?? 0, named: named.port ?? 0, proxied: proxied.port ?? 0 }
  await using it = await confinedTown(agent(ports, ['mode = "default"']))
  const { path: folder } = it.world.folder
  const at = (name: string) => join(folder, name)
  using _unix = Bun.serve({ unix: at('socket'), fetch: () => new Response('socket') })
  mkdirSync(at('theirs'))
  for (const name of ['book', 'page']) writeFileSync(at(name), `${name}\n`)
  writeFileSync(at('tool'), '#!/bin/sh\necho tool\n')
  chmodSync(at('tool'), 0o755)

  /** Starts a session under these lines; answers what it got, and the lines named in the response. */
  const attempt = async (lines: readonly string[]) => {
    const toml = join(it.path, 'city.toml')
    const head = readFileSync(toml, 'utf8').split('[[agent]]')[0]
    writeFileSync(toml, head + agent(ports, lines).replaceAll('@', folder))
    await it.call('POST ~/config/reload', { body: {} })
    const work = await it.done('agent', 'tries')
    const said = (name: string) => readFileSync(join(work, name), 'utf8')
    const { items: sessions } = (await it.call('GET ~/sessions')).body
    const { id } = sessions.find((each: { template: string }) => each.template === 'tries')
    const denials = (await it.call(`GET ~/session/${id}/denials`)).body
    await it.call(`POST ~/session/${id}/close`, { body: {} })
    const gone = async () => (await it.call(`GET ~/session/${id}`)).body.state
    await eventually('it is over', 20_000, gone, (state) => state !== 'active')
    Bun.spawnSync(['rm', join(work, 'done')])
    const around = { gcHome: it.world.home, city: it.path, rigs: [] }
    const files = saidRefusals(said('files'), work).map(({ path, access }) => pathLine(path, access, around) ?? '')
    const got = Object.fromEntries(['direct', 'named', 'proxied', 'socket', 'files'].map((name) => [name, said(name)]))
    return { got, files, denials }
  }

  const first = await attempt(['mode = "default"'])
  const why = (host: string) =>
    `gc: ${host} is not allowed: allow_hosts = ["${host}"] in the confine table of agent tries (city.toml:6) allows it, and confine = "network" every host\n`
  expect(first.got).toMatchObject({
    ...{ direct: '', socket: '', named: why(`localhost:${ports.named}`), proxied: why(`127.0.0.1:${ports.proxied}`) },
  })
  expect(first.denials.allowing.table).toBe('agent tries (city.toml:6)')
  const { lines } = first.denials.allowing
  expect(lines).toEqual([
    `write = ["${at('socket')}", "${at('theirs')}"]`,
    `allow_hosts = ["localhost:${ports.named}", "127.0.0.1:${ports.proxied}"]`,
    `ports = [${ports.direct}]`,
  ])
  expect(first.files).toEqual([`read = ["${at('tool')}"]`, `write = ["${at('page')}"]`, `read = ["${at('book')}"]`])
  const read = `read = ["${at('tool')}", "${at('book')}"]`
  const write = `write = ["${at('page')}", ${lines[0].slice('write = ['.length)}`

  // What a name stands for is looked at only once the name is allowed.
  const second = await attempt([write, read, ...lines.slice(1)])
  expect(second.got.named).toMatch(/^gc: localhost is (127\.0\.0\.1|::1)/)
  const all = second.denials.allowing.lines
  expect(all).toEqual([
    expect.stringContaining(`allow_hosts = ["localhost:${ports.named}", "127.0.0.1:${ports.proxied}", `),
  ])

  const third = await attempt([write, read, all[0], lines[2]])
  expect(third.got).toEqual({
    ...{ direct: 'direct', named: 'named', proxied: 'proxied', socket: 'socket', files: 'book\ntool\n' },
  })
  expect(third.denials).toMatchObject({ items: [], total: 0 })
  expect(readFileSync(at('page'), 'utf8')).toBe('page\nmore\nmore\n')
  expect(statSync(at('theirs')).mode & 0o777).toBe(0o711)
}, 120_000)
