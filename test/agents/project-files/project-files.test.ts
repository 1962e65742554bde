import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { CityWorld, WAITS } from '../sessions/world.ts'

const AGENT = (name: string, more = '') => `
[[agent]]
name = "${name}"
dir = "shop"
provider = "claude"
start_command = '''${WAITS}'''
${more}
`
const HOOK = { hooks: { Stop: [{ matcher: 'm', hooks: [{ type: 'command', command: 'echo stop' }] }] } }

/** A city with the rig `shop`, a repository, and packs' files in the city itself. */
class Shop implements AsyncDisposable {
  readonly world = new CityWorld()
  readonly rig = this.world.folder.at('shop')

  static async open(files: Readonly<Record<string, string>>, agents = AGENT('worker')): Promise<Shop> {
    const shop = new Shop()
    mkdirSync(shop.rig)
    shop.git('init', '--quiet', '--initial-branch', 'main')
    shop.commit({ 'README.md': 'shop\n' })
    shop.world.declare(`[[rigs]]\nname = "shop"\npath = "${shop.rig}"\n${agents}`)
    for (const [name, text] of Object.entries(files)) shop.put(shop.world.folder.at('city', name), text)
    await shop.world.up()
    return shop
  }

  put(file: string, text: string): void {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  at = (name: string): string => join(this.rig, name)
  read = (name: string): string => readFileSync(this.at(name), 'utf8')
  json = (name: string): unknown => JSON.parse(this.read(name))

  git(...args: string[]): string {
    const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com']
    const { exitCode, stdout, stderr } = Bun.spawnSync(['git', '-C', this.rig, ...author, ...args])
    if (exitCode !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }

  commit(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) this.put(this.at(name), text)
    this.git('add', '-A')
    this.git('commit', '--quiet', '-m', 'x')
  }

  /** Starts a session and resolves with its id, and with what its start was warned of. */
  async start(agent = 'shop/worker', alias = agent.replace('/', '-')): Promise<{ id: string; problems: string[] }> {
    const { city } = this.world
    await city.sessions.creating.create(human, { kind: 'agent', name: agent, alias })
    const woke = await this.world.event('session.woke')
    const id = String(woke.session_id)
    const problems = city.log
      .after(0, 100_000)
      .filter(({ session_id, payload }) => session_id === id && Object(payload).result === 'failed')
      .map(({ payload }) => String(Object(payload).error))
    return { id, problems }
  }

  async close(id: string): Promise<void> {
    await this.world.city.sessions.running.close(id, human)
    await until(() => this.world.city.sessionRepository.find(id)?.state === 'closed')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]()
  }
}

describe('files that gc writes into a project', () => {
  test('is copied from overlays with its modes, hidden from git, and removed with the last session', async () => {
    await using shop = await Shop.open(
      {
        'overlay/notes/rules.md': 'rules\n',
        'overlay/.gc/secret': 'not copied',
        'overlay/per-provider/claude/claude-only.md': 'c\n',
        'overlay/per-provider/codex/codex-only.md': 'x\n',
        'overlay/tool.sh': 'old',
        'agents/x/overlay/tool.sh': 'not of this agent',
        'own/tool.sh': '#!/bin/sh\n',
      },
      AGENT('worker', 'overlay_dir = "own"'),
    )
    chmodSync(shop.world.folder.at('city', 'own/tool.sh'), 0o755)
    const { id, problems } = await shop.start()
    expect(problems).toEqual([])
    expect([shop.read('notes/rules.md'), shop.read('tool.sh'), shop.read('claude-only.md')]).toEqual([
      'rules\n',
      '#!/bin/sh\n',
      'c\n',
    ])
    expect(statSync(shop.at('tool.sh')).mode & 0o777).toBe(0o755)
    for (const name of ['codex-only.md', 'secret', '.gc/secret']) expect(existsSync(shop.at(name))).toBe(false)
    shop.git('add', '-A')
    expect(shop.git('status', '--porcelain')).toBe('')
    await shop.close(id)
    await until(() => !existsSync(shop.at('notes')) && !existsSync(shop.at('tool.sh')))
    await until(() => !readFileSync(shop.at('.git/info/exclude'), 'utf8').includes('rules.md'))
    expect(shop.git('status', '--porcelain', '--ignored')).toBe('')
  })

  test('is merged into the settings that programs share, and these are as before once it is over', async () => {
    await using shop = await Shop.open({ 'overlay/.claude/settings.json': JSON.stringify({ ...HOOK, model: 'b' }) })
    const before = '{ // mine\n  "theme": "dark", "hooks": { "Stop": [{ "matcher": "n", "hooks": [] }] }\n}\n'
    shop.put(shop.at('.claude/settings.json'), before)
    const { id } = await shop.start()
    expect(shop.json('.claude/settings.json')).toMatchObject({
      ...{ theme: 'dark', model: 'b' },
      hooks: { Stop: [{ matcher: 'n' }, { matcher: 'm' }] },
    })
    await shop.close(id)
    await until(() => shop.read('.claude/settings.json') === before)
  })

  test('is never part of a commit, even where it is merged into a file of the repository', async () => {
    await using shop = await Shop.open({ 'overlay/.claude/settings.json': JSON.stringify(HOOK) })
    shop.commit({ '.claude/settings.json': '{"theme": "dark"}\n' })
    const { id } = await shop.start()
    expect(shop.read('.claude/settings.json')).toContain('echo stop')
    shop.put(shop.at('work.txt'), 'done\n')
    shop.git('add', '-A')
    expect(shop.git('status', '--porcelain')).toBe('A  work.txt\n')
    await shop.close(id)
    await until(() => shop.read('.claude/settings.json') === '{"theme": "dark"}\n')
    await until(() => shop.git('ls-files', '-v', '.claude').startsWith('H'))
  })

  test('never replaces another file, and says which it kept', async () => {
    await using shop = await Shop.open({
      'overlay/README.md': 'theirs',
      'overlay/mine.txt': 'theirs',
      'overlay/.claude/settings.json': '{}',
      'overlay/linked/a.txt': 'theirs',
      'skills/review/SKILL.md': 'review',
    })
    shop.put(shop.at('mine.txt'), 'mine')
    shop.put(shop.at('.claude/settings.json'), 'not settings')
    shop.put(shop.at('.claude/skills/review'), 'mine')
    mkdirSync(shop.world.folder.at('elsewhere'))
    symlinkSync(shop.world.folder.at('elsewhere'), shop.at('linked'))
    const { id, problems } = await shop.start()
    expect(problems.toSorted()).toEqual([
      '.claude/settings.json is kept unchanged: it is not an object of settings',
      '.claude/skills/review is kept unchanged: it is not of gc',
      'README.md is kept unchanged: it is not of gc',
      expect.stringContaining('linked/a.txt is kept unchanged: '),
      'mine.txt is kept unchanged: it is not of gc',
    ])
    await shop.close(id)
    expect([shop.read('README.md'), shop.read('mine.txt')]).toEqual(['shop\n', 'mine'])
    expect(existsSync(shop.world.folder.at('elsewhere/a.txt'))).toBe(false)
  })

  test('stays when somebody changed it', async () => {
    await using shop = await Shop.open({ 'overlay/a.txt': 'a', 'overlay/b.txt': 'b' })
    const { id } = await shop.start()
    shop.put(shop.at('a.txt'), 'changed')
    await shop.close(id)
    await until(() => !existsSync(shop.at('b.txt')))
    expect(shop.read('a.txt')).toBe('changed')
    const { problems } = await shop.start('shop/worker', 'again')
    expect(problems).toEqual(['a.txt is kept unchanged: it is not of gc'])
  })

  test('stays for the second session of a folder, which may bring more', async () => {
    const agents = AGENT('worker') + AGENT('other', 'overlay_dir = "own"')
    await using shop = await Shop.open(
      {
        'overlay/a.txt': 'a',
        'overlay/.claude/settings.json': '{"a": 1}',
        'own/b.txt': 'b',
        'own/.claude/settings.json': '{"b": 2}',
      },
      agents,
    )
    const first = await shop.start()
    const second = await shop.start('shop/other')
    expect(shop.json('.claude/settings.json')).toEqual({ a: 1, b: 2 })
    await shop.close(second.id)
    expect([shop.read('a.txt'), shop.read('b.txt')]).toEqual(['a', 'b'])
    await shop.close(first.id)
    await until(() => !existsSync(shop.at('a.txt')) && !existsSync(shop.at('b.txt')))
    await until(() => !existsSync(shop.at('.claude')))
  })

  test('keeps no worktree, and is in none of its commits', async () => {
    await using shop = await Shop.open({ 'overlay/a.txt': 'a' }, AGENT('worker', 'worktree = true'))
    const { id } = await shop.start()
    const { items } = shop.world.city.worktrees.list()
    const folder = items[0]?.path ?? ''
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a')
    expect(existsSync(shop.at('a.txt'))).toBe(false)
    await shop.close(id)
    await until(() => shop.world.city.worktrees.list().items.length === 0)
    expect(existsSync(folder)).toBe(false)
    await until(() => !readFileSync(shop.at('.git/info/exclude'), 'utf8').includes('a.txt'))
  })

  test('is read by its owner alone when it holds a secret', async () => {
    await using shop = await Shop.open({
      'mcp/search.toml': 'command = "./search"\nargs = ["--fast"]\n[env]\nKEY = "secret"\n',
      'mcp/wiki.template.toml': 'url = "https://wiki.example.com/{{.RigName}}"\n',
      'mcp/broken.toml': 'command = 1\n',
      'mcp/odd.template.toml': 'url = "{{.Nothing}}"\n',
    })
    const { id, problems } = await shop.start()
    expect(problems).toEqual([
      expect.stringContaining('mcp/broken.toml: it needs either a command to run or the url of a server'),
      expect.stringContaining('mcp/odd.template.toml: .Nothing is not known'),
    ])
    expect(shop.json('.mcp.json')).toEqual({
      mcpServers: {
        search: {
          ...{ command: shop.world.folder.at('city', 'mcp/search'), args: ['--fast'] },
          env: { KEY: 'secret' },
        },
        wiki: { type: 'http', url: 'https://wiki.example.com/shop', headers: {} },
      },
    })
    expect(statSync(shop.at('.mcp.json')).mode & 0o777).toBe(0o600)
    expect(shop.git('status', '--porcelain')).toBe('')
    await shop.close(id)
    await until(() => !existsSync(shop.at('.mcp.json')))
  })

  test('is taken up after a crash, and removed when its session is over in between', async () => {
    await using shop = await Shop.open({ 'overlay/a.txt': 'a', 'overlay/.claude/settings.json': '{"a": 1}' })
    const { id } = await shop.start()
    rmSync(shop.at('a.txt'))
    const { city } = shop.world
    await city.store.write((tx) => void city.sessionRepository.transition(tx, id, 'close', {}))
    await shop.world.down()
    await shop.world.up()
    await until(() => !existsSync(shop.at('.claude')))
  })
})

test('skills are linked under the names of their packs, and those of the agent come first', async () => {
  await using shop = await Shop.open({
    'skills/review/SKILL.md': 'shared',
    'skills/plan/SKILL.md': 'shared',
    'skills/empty/notes.md': 'no skill',
    'agents/tester/agent.toml': `dir = "shop"\nprovider = "codex"\nstart_command = "${WAITS}"\n`,
    'agents/tester/skills/review/SKILL.md': 'own',
  })
  await shop.start('shop/tester')
  const city = (name: string) => shop.world.folder.at('city', name)
  expect(readlinkSync(shop.at('.agents/skills/review'))).toBe(city('agents/tester/skills/review'))
  expect(readlinkSync(shop.at('.agents/skills/plan'))).toBe(city('skills/plan'))
  expect(lstatSync(shop.at('.agents/skills/empty'), { throwIfNoEntry: false })).toBeUndefined()
  expect(shop.git('status', '--porcelain')).toBe('')
})

test('hooks are installed for the programs that are named, where no pack brings them', async () => {
  await using shop = await Shop.open(
    { 'overlay/per-provider/gemini/.gemini/settings.json': JSON.stringify({ own: true }) },
    AGENT('worker', 'install_agent_hooks = ["claude", "codex", "gemini", "opencode", "emacs"]'),
  )
  const { problems } = await shop.start()
  expect(problems).toEqual(['install_agent_hooks: neither a pack nor gc has hooks for emacs'])
  expect(shop.read('.claude/settings.json')).toContain('gc prime --hook --hook-format claude')
  expect(shop.read('.codex/hooks.json')).toContain('GC_SESSION_ID')
  expect(shop.json('.gemini/settings.json')).toEqual({ own: true })
  expect(shop.read('.opencode/plugins/gc.js')).toContain('gc prime --hook --hook-format opencode')
})
