import { expect, test } from 'bun:test'
import { readLogEntry, readLoginFailure } from '../../src/programs/login-statements.ts'

test('a dead login is read as each program says it', () => {
  const failures: [string, string][] = [
    ['claude', 'Please run /login · API Error: 401 OAuth access token has expired. Re-authenticate to continue.'],
    ['claude', 'Not logged in · Please run /login'],
    ['claude', 'API Error: 401 Invalid API key · Please run /login'],
    [
      'codex',
      'Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.',
    ],
    ['gemini', 'Please set an Auth method in your /home/ann/.gemini/settings.json'],
    ['opencode', 'the agent has to be logged in first: run opencode auth login'],
    ['opencode', 'the agent must be logged in first: run opencode auth login'],
  ]
  expect(failures.filter(([program, text]) => readLoginFailure(program, text) === undefined)).toEqual([])
  expect(readLoginFailure('claude', "You've hit your session limit · resets 5pm (Australia/Brisbane)")).toBeUndefined()
  expect(readLoginFailure(undefined, 'Please run /login')).toBeUndefined()
})

test('logs say of their login only what the program itself wrote', () => {
  const message = { content: [{ type: 'text', text: "You've hit your session limit · resets 9:50pm (Asia/Saigon)" }] }
  const claude = { type: 'assistant', timestamp: '2026-08-19T13:40:00.123Z', message }
  const error = { error: 'rate_limit', isApiErrorMessage: true, apiErrorStatus: 429 }
  expect(readLogEntry('claude', claude)).toBeUndefined()
  expect(readLogEntry('claude', { ...claude, ...error })).toMatchObject({
    is: 'limited',
    statement: { until: Date.parse('2026-08-19T14:50:00Z') },
  })
  const failed = { ...claude, isApiErrorMessage: true, error: 'authentication_failed' }
  expect(readLogEntry('claude', failed)).toMatchObject({ is: 'dead' })
  const codex = (rate_limits: object) =>
    readLogEntry('codex', {
      type: 'event_msg',
      timestamp: '2026-09-14T10:00:00Z',
      payload: { type: 'token_count', rate_limits },
    })
  const full = { used_percent: 100, window_minutes: 10_080, resets_at: 1_790_375_461 }
  expect(codex({ primary: { used_percent: 42, resets_at: 1_790_000_000 }, secondary: full })).toEqual({
    is: 'full',
    until: 1_790_375_461_000,
  })
  expect(codex({ primary: { used_percent: 100, resets_in_seconds: 60 } })).toEqual({
    is: 'full',
    until: Date.parse('2026-09-14T10:01:00Z'),
  })
  expect(codex({ primary: { used_percent: 99.5, resets_at: 1_790_000_000 }, secondary: null })).toBeUndefined()
  const said = { type: 'error', message: "You've hit your usage limit. Try again later." }
  expect(readLogEntry('codex', { type: 'event_msg', timestamp: '2026-09-14T10:00:00Z', payload: said })).toMatchObject({
    is: 'limited',
  })
  const chat = {
    type: 'error',
    timestamp: '2026-09-14T10:00:00Z',
    content: 'You have exhausted your capacity on this model. Your quota will reset after 2h.',
  }
  expect(readLogEntry('gemini', chat)).toMatchObject({
    is: 'limited',
    statement: { until: Date.parse('2026-09-14T12:00:00Z') },
  })
})
