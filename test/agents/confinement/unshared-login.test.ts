import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { LoginAttention } from '../../../src/agents/attention/sources/logins.ts'
import { QuestionAttention } from '../../../src/agents/attention/sources/questions.ts'
import { unsharedLogin } from '../../../src/agents/confinement/unshared-login.ts'
import type { QuestionRow } from '../../../src/agents/questions/table.ts'
import type { Accounts } from '../../../src/config/accounts/accounts.ts'
import { compose } from '../../../src/config/compose/compose.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'
import { cityFiles } from '../../config/city-files.ts'
import { tempFolder } from '../../support/folder.ts'

const CODEX = '[[agent]]\nname = "ann"\nprovider = "codex"\n'

/** The login that the agent `ann` does not see, in a home with this file. */
function unshared(toml: string, stored: object | undefined, defaultConfine: 'default' | 'off' = 'default') {
  using home = tempFolder()
  using city = cityFiles({ 'city.toml': toml })
  mkdirSync(home.at('.codex'))
  if (stored) writeFileSync(home.at('.codex', 'auth.json'), JSON.stringify(stored))
  const { config } = compose(new FileSnapshot(city.path), { defaultConfine })
  const [agent] = config.agents.filter(({ name }) => name === 'ann')
  if (!agent) throw new Error('there is no agent')
  return unsharedLogin(agent, config, { HOME: home.path })?.file.replace(home.path, '~')
}

describe('the login that a confined session does not see', () => {
  const subscription = { tokens: { access_token: 'x' } }

  test('is the file of a subscription that no one has allowed or denied sessions', () => {
    expect(unshared(CODEX, subscription)).toBe('~/.codex/auth.json')
    for (const said of ['true', 'false'])
      expect(unshared(`${CODEX}[providers.codex.confine]\nshare_login = ${said}\n`, subscription)).toBeUndefined()
  })

  test('is none where there is no file, it has a key that gc uses for the session, or nothing confines the session', () => {
    expect(unshared(CODEX, undefined)).toBeUndefined()
    expect(unshared(CODEX, { OPENAI_API_KEY: 'k' })).toBeUndefined()
    expect(unshared(CODEX, subscription, 'off')).toBeUndefined()
    expect(unshared('[[agent]]\nname = "ann"\nstart_command = "codex"\n', subscription)).toBeUndefined()
  })
})

describe('the fix for a program that asks to log in', () => {
  const toDo = (kind: string, file: string | undefined) => {
    const question = { kind, prompt: 'Log in', since: '2026-01-02T00:00:00Z', options: [] }
    const row = { id: 1, sessionId: 'gc-1', by: 'screen', folder: '/', beadId: null, request: 'r', question }
    const attention = new QuestionAttention({
      questions: {
        open: () => [row as unknown as QuestionRow],
        get: () => row as unknown as QuestionRow,
        onChange: () => () => {},
      },
      repository: { find: () => ({ id: 'gc-1', template: 'ann' }) as SessionRow },
      launchPlanner: { unsharedLogin: () => (file === undefined ? undefined : { provider: 'claude', file }) },
      rules: { heldBy: () => undefined },
    })
    return attention.items()[0]?.to_do
  }

  test('is to share the login that it does not see because it is confined, and else to answer it', () => {
    expect(toDo('login', '/home/me/.claude/.credentials.json')).toBe(
      'gc confine share-login claude lets it read your login, then gc session kill gc-1 starts it again; or log in at its terminal',
    )
    expect(toDo('login', undefined)).toBe('gc session attach gc-1, and answer there')
    expect(toDo('permission', '/home/me/.claude/.credentials.json')).toBe('gc session attach gc-1, and answer there')
  })
})

test('the fix for a rejected login is to share it if sessions cannot see it, otherwise to log in', () => {
  using city = cityFiles({ 'city.toml': CODEX })
  const { config } = compose(new FileSnapshot(city.path), { defaultConfine: 'default' })
  using home = tempFolder()
  const toDo = (login = 'codex') => {
    const dead = { login, provider: 'codex', state: 'dead' as const, since: 0, until: null, stated: false, attempts: 0 }
    const attention = new LoginAttention(
      { clock: systemClock },
      {
        config: { current: config, onChange: () => () => {} },
        accounts: { all: [], problem: undefined } as unknown as Accounts,
        limits: { all: () => [{ ...dead, reason: 'Not logged in' }], onChange: () => () => {} },
        logins: { candidates: () => [{ id: 'codex', provider: 'codex' }], roomAt: () => 0 },
        isAsking: () => false,
        env: { HOME: home.path },
      },
    )
    return attention.items()[0]?.to_do
  }
  expect(toDo()).toBe('log in, then gc account check codex')
  mkdirSync(home.at('.codex'))
  writeFileSync(home.at('.codex', 'auth.json'), '{"tokens":{}}')
  expect(toDo()).toBe(
    `gc confine share-login codex lets confined sessions read ${home.at('.codex', 'auth.json')}; then gc account check codex`,
  )
  expect(toDo('other')).toBe('log in, then gc account check other')
})
