import { describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { homeVariables, isOtherLogin } from '../../../src/config/accounts/account.ts'
import { Accounts } from '../../../src/config/accounts/accounts.ts'
import { nextTick } from '../../../src/core/event-loop.ts'
import { type TempFolder, tempFolder } from '../../support/folder.ts'

const open = (folder: TempFolder) => new Accounts(folder.path, '/home/ann')

function write(folder: TempFolder, name: string, text: string, mode = 0o600): string {
  const path = folder.at(name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Reason a file of accounts is refused, without the folder it lies in. */
function rejection(text: string, mode?: number): string | undefined {
  using folder = tempFolder()
  write(folder, 'accounts.toml', text, mode)
  return open(folder).problem?.replaceAll(`${folder.path}/`, '')
}

const WORK = '[[account]]\nname = "work"\nprovider = "claude"\n'

describe('the file of accounts', () => {
  test('declares logins by provider, home and file of variables', async () => {
    using folder = tempFolder()
    const accounts = open(folder)
    expect([accounts.all, accounts.problem]).toEqual([[], undefined])
    write(
      folder,
      'accounts.toml',
      `${WORK}home = "~/.claude-work"\n\n[[account]]\nname = "spare"\nprovider = "codex"\nstands_in_for = ["claude"]\n`,
    )
    expect(accounts.all).toEqual([])
    await nextTick()
    expect(accounts.all).toMatchObject([
      { name: 'work', provider: 'claude', home: '/home/ann/.claude-work', standsInFor: [] },
      { name: 'spare', provider: 'codex', standsInFor: ['claude'] },
    ])
    expect(accounts.all.map(homeVariables)).toEqual([{ CLAUDE_CONFIG_DIR: '/home/ann/.claude-work' }, {}])
  })

  test('is refused with a sentence when others can read it', () => {
    expect(rejection(WORK, 0o644)).toBe('accounts.toml can be read by others (mode 0644); run: chmod 600 accounts.toml')
    expect(rejection(WORK, 0o640)).toContain('mode 0640')
    expect(rejection(WORK, 0o400)).toBeUndefined()
  })

  test('is refused with the line of what is wrong in it', () => {
    expect(rejection(`${WORK}home "x"\n`)).toMatch(/^accounts\.toml:4: /)
    expect(rejection(`${WORK}\n${WORK}`)).toBe('accounts.toml:5: there are two accounts called work; rename one')
    expect(rejection('[[account]]\nname = "a"\nprovider = "clod"\n')).toMatch(
      /^accounts\.toml:3: provider "clod" is not known; known are claude, /,
    )
    expect(rejection('[[account]]\nprovider = "claude"\n')).toBe('accounts.toml:1: the account has no name')
    expect(rejection(`${WORK}home = "work"\n`)).toBe(
      'accounts.toml:4: home must be a whole path, such as ~/.claude-work',
    )
    expect(rejection(`${WORK}key = "sk-secret"\n`)).toBe(
      'accounts.toml:4: key is not known in [[account]]; it has name, provider, home, env_file, stands_in_for',
    )
    expect(rejection('[[account]]\nname = "codex"\nprovider = "claude"\n')).toBe(
      'accounts.toml:2: only an account of codex may be called codex; rename it',
    )
    expect(rejection(`account = "work"\n`)).toBe('accounts.toml:1: account is not a block; write [[account]]')
    expect(rejection(`[[acount]]\n`)).toBe('accounts.toml:1: acount is not known here; it holds [[account]] blocks')
    expect(rejection(`${WORK}stands_in_for = ["clod"]\n`)).toContain('accounts.toml:4: provider "clod" is not known')
  })

  test('is edited block by block, and stays its owner’s alone', async () => {
    using folder = tempFolder()
    const { file } = open(folder)
    await file.add({ name: 'claude', provider: 'claude' })
    await Promise.all([
      file.add({ name: 'work', provider: 'claude', home: '/w' }),
      file.add({ name: 'spare', provider: 'codex', standsInFor: ['claude'] }),
    ])
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    writeFileSync(file.path, `# mine\n${readFileSync(file.path, 'utf8')}`)
    await file.remove('claude')
    expect(file.current.accounts.map(({ name }) => name).toSorted()).toEqual(['spare', 'work'])
    expect(readFileSync(file.path, 'utf8')).toStartWith('# mine\n')
    expect(file.add({ name: 'work', provider: 'claude' })).rejects.toThrow('there are two accounts called work')
    expect(file.add({ name: 'x y', provider: 'claude' })).rejects.toThrow('"x y" is not a name')
    expect(file.remove('nobody')).rejects.toThrow('there is no account nobody')
    chmodSync(file.path, 0o644)
    expect(file.remove('work')).rejects.toThrow('chmod 600')
  })
})

describe('the file of variables of an account', () => {
  const variables = (text: string, mode?: number) => {
    using folder = tempFolder()
    const path = write(folder, 'work.env', text, mode)
    write(folder, 'accounts.toml', `${WORK}env_file = "${path}"\n`)
    const accounts = open(folder)
    const [account] = accounts.all
    if (!account) throw new Error('the account was not read')
    return accounts.problemOf(account)?.replaceAll(`${folder.path}/`, '') ?? accounts.environment(account)
  }

  test('has a variable a line', () => {
    expect(variables(`# keys\nexport A=1\nB = "two words" # why\nC='it $is'\nD=\nE="a\\"b"\n`)).toEqual({
      ...{ A: '1', B: 'two words', C: 'it $is', D: '', E: 'a"b' },
    })
  })

  test('is refused with a sentence that reveals nothing of what is in it', () => {
    expect(variables('A=sk-secret\n', 0o644)).toBe(
      'work.env can be read by others (mode 0644); run: chmod 600 work.env',
    )
    expect(variables('A=1\nsk-secret\n')).toBe('work.env:2: it is not NAME=value')
    expect(variables('GC_TOKEN=sk-secret\n')).toBe('work.env:1: GC_TOKEN is set by gc; take it out')
    using folder = tempFolder()
    expect(open(folder).problemOf({ envFile: folder.at('none') })).toBe(
      `there is no file ${folder.at('none')}; make it, or change what names it`,
    )
  })
})

test('a program of an account does not inherit the login of the supervisor', () => {
  const account = {
    ...{ name: 'work', provider: 'claude', envFile: undefined, standsInFor: [], offset: 0 },
    home: '/w',
  }
  const inherited = ['ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'OPENAI_API_KEY', 'PATH']
  expect(inherited.map((name) => isOtherLogin(account, name))).toEqual([true, true, false, false])
  expect(inherited.some((name) => isOtherLogin({ ...account, home: undefined }, name))).toBe(false)
})
