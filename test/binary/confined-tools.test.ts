import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { gitServer, packRepository, packToml } from '../support/pack-repository.ts'

const binary = resolve(process.env.GC_BINARY ?? 'dist/gc')

/** The folder of a person, with these files in it and a repository in `work`. */
function personWith(files: Readonly<Record<string, string>>): TempFolder {
  const folder = tempFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(folder.at(name)), { recursive: true })
    writeFileSync(folder.at(name), text)
  }
  mkdirSync(folder.at('work'))
  Bun.spawnSync(['git', 'init', '-q', folder.at('work')])
  return folder
}

/** Output of a shell line on both streams, in gc's sandbox in the repository. */
async function confined(
  folder: TempFolder,
  line: string,
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
) {
  const child = Bun.spawn([binary, 'confine', ...options, '--', '/bin/sh', '-c', `exec 2>&1; ${line}`], {
    cwd: folder.at('work'),
    env: { PATH: process.env.PATH, HOME: folder.path, GC_HOME: folder.at('gc'), ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 20_000,
  })
  return (await child.stdout.text()).trim()
}

const COMMIT = 'git commit -q --allow-empty -m one && git log -1 --format="%an <%ae> %G?"'

test('git has the settings of a person and the files that they name, and nothing else of those folders', async () => {
  using folder = personWith({
    '.gitconfig': `[core]
  excludesFile = ~/.ignored # what editors leave
[include]
  path = "settings/git me"
[IncludeIf "gitdir:~/"] path = ~/settings/work
`,
    'settings/git me': '[user]\n  name = Ann\n',
    'settings/work': '[user]\n  email = ann@work.example\n',
    'settings/keys': 'secret',
    '.ignored': '*.swp\n',
  })
  expect(await confined(folder, COMMIT)).toBe('Ann <ann@work.example> N')
  expect(await confined(folder, 'touch a.swp b; git status --porcelain')).toBe('?? b')
  expect(await confined(folder, 'cat ../settings/keys')).toContain('Permission denied')
})

test('git has the settings that a person keeps in ~/.config', async () => {
  using folder = personWith({
    '.config/git/config': '[user]\n  name = Ann\n  email = ann@example.com\n',
    '.config/git/ignore': '*.swp\n',
  })
  expect(await confined(folder, COMMIT)).toBe('Ann <ann@example.com> N')
  expect(await confined(folder, 'touch a.swp b; git status --porcelain')).toBe('?? b')
})

test('a program configures git where the person has not said it, and cannot where they have', async () => {
  const set = 'git config --global user.name Bot && git config --global user.email bot@x'
  using none = personWith({})
  expect(await confined(none, `${set} && ${COMMIT}`)).toBe('Bot <bot@x> N')
  expect(existsSync(none.at('.gitconfig'))).toBe(false)
  using some = personWith({ '.gitconfig': '[user]\n  name = Ann\n  email = a@b\n' })
  expect(await confined(some, `${set}; ${COMMIT}`)).toEndWith('Ann <a@b> N')
})

test('a commit that a person would sign is made without the key that is not there', async () => {
  using folder = personWith({
    '.gitconfig':
      '[user]\n  name = Ann\n  email = a@b\n  signingKey = ~/.ssh/id\n[commit]\n  gpgSign = true\n[gpg]\n  format = ssh\n',
    '.ssh/id': 'secret',
  })
  expect(await confined(folder, COMMIT)).toBe('Ann <a@b> N')
  expect(await confined(folder, COMMIT, { GIT_CONFIG_COUNT: '0' })).toContain('.ssh/id')
})

test('git says why it reaches no repository by SSH, and what to do', async () => {
  using folder = personWith({})
  const said = await confined(folder, 'git ls-remote git@example.com:a/b')
  expect(said).toStartWith('gc: a confined session has no SSH; use the https address of the repository, or confine = ')
  const own = await confined(folder, 'git ls-remote git@example.com:a/b', { GIT_SSH_COMMAND: 'echo mine >&2; false' })
  expect(own).toStartWith('mine')
})

test('git asks no one for a password where the helper of a person finds none, and has one that its environment brings', async () => {
  using packs = packRepository()
  packs.commit({ 'pack.toml': packToml('p') }, 'v1.0.0')
  await using server = gitServer(packs, { token: 'token-of-the-person' })
  const own = server.url.replace('://', '://x:token-of-the-person@')
  using folder = personWith({
    '.gitconfig': '[credential]\n  helper = store\n[http]\n  proxyAuthMethod = basic\n',
    '.git-credentials': `${own}\n`,
  })
  const list = (url: string) =>
    confined(folder, `git ls-remote ${url}`, { NO_PROXY: '' }, ['--port', new URL(url).port])
  expect(await list(server.url)).toContain('terminal prompts disabled')
  expect(await list(own)).toContain('refs/tags/v1.0.0')
})

test('programs read the certificates that the environment of a person names', async () => {
  using folder = personWith({ 'certificates/ca.pem': 'of the company', 'certificates/key.pem': 'secret' })
  const env = { NODE_EXTRA_CA_CERTS: folder.at('certificates/ca.pem'), SSL_CERT_FILE: 'relative' }
  expect(await confined(folder, 'cat "$NODE_EXTRA_CA_CERTS"', env)).toBe('of the company')
  expect(await confined(folder, 'cat ../certificates/key.pem', env)).toContain('Permission denied')
})

test('toolchains in a home folder run, also those that look for themselves by a variable, without the keys beside them', async () => {
  const tool = '#!/bin/sh\necho runs'
  using folder = personWith({
    '.local/share/uv/python/3/bin/python': tool,
    '.local/share/uv/credentials/credentials.toml': 'secret',
    '.local/share/mise/installs/node/22/bin/node': tool,
    '.config/mise/config.toml': '[tools]',
    '.config/mise/key': 'secret',
    '.dotnet/tools/t': tool,
    '.dotnet/corefx/cryptography/x509stores/my/key': 'secret',
    'miniconda3/bin/python': tool,
  })
  const tools = ['.local/share/uv/python/3/bin/python', '.dotnet/tools/t', 'miniconda3/bin/python']
  for (const path of tools) expect(await confined(folder, `sh ../${path}`)).toBe('runs')
  expect(await confined(folder, 'sh "$MISE_DATA_DIR/installs/node/22/bin/node"; cat "$MISE_GLOBAL_CONFIG_FILE"')).toBe(
    'runs\n[tools]',
  )
  const keys = [
    '.local/share/uv/credentials/credentials.toml',
    '.config/mise/key',
    '.dotnet/corefx/cryptography/x509stores/my/key',
  ]
  for (const path of keys) expect(await confined(folder, `cat ../${path}`)).toContain('Permission denied')
})
