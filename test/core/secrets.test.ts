import { describe, expect, test } from 'bun:test'
import { SecretValues } from '../../src/core/text/secret-values.ts'
import { blankSecrets, rejectMarkers, restoreSecrets } from '../../src/core/text/secrets.ts'

describe('a declaration is shown', () => {
  const SHOWN: [what: string, value: unknown, shown: unknown][] = [
    ['without the values of its variables', { env: { A: 'x', B: '$C' } }, { env: { A: '***', B: '***' } }],
    ['without the values of its headers', { headers: { Accept: 'x' } }, { headers: { Accept: '***' } }],
    [
      'without what a secret option has',
      { option_defaults: { api_key: 'x', model: 'm' } },
      { option_defaults: { api_key: '***', model: 'm' } },
    ],
    ['without an argument behind a secret option', ['--api-key', 'x', '-v', 'y'], ['--api-key', '***', '-v', 'y']],
    ['without the whole value of an argument', ['--token=a;b"c', 'API_KEY=d e'], ['--token=***', 'API_KEY=***']],
    ['without a login', ['-u', 'ann:x'], ['-u', '***']],
    ['without a header in an argument', ['-H', 'Authorization: Bearer x'], ['-H', 'Authorization: Bearer ***']],
    [
      'without the words of a command',
      `sh -c 'run -v --token x; KEY="y z" run'`,
      `sh -c 'run -v --token ***; KEY="***" run'`,
    ],
    ['without the user of an address', 'https://x@a.example/b?c=d', 'https://***@a.example/b?c=d'],
    ['without the key of an address', 'wss://a.example/?a=b&api_key=x#c', 'wss://a.example/?a=b&api_key=***#c'],
    ['without a key of a known issuer', 'use ghp_0123456789abcdefghijABCDEFGHIJ012345 for it', 'use *** for it'],
    [
      'with references',
      ['--token', '$TOKEN', '--key-file', '/etc/key', 'KEY=$(cat k)'],
      ['--token', '$TOKEN', '--key-file', '/etc/key', 'KEY=$(cat k)'],
    ],
    ['with the user of an address for ssh', 'ssh://git@a.example/b', 'ssh://git@a.example/b'],
    [
      'without the default, the value and the choices of an option for a secret',
      { key: 'api_key', label: 'Key', default: 'x', value: 'y', choices: [{ value: 'x', label: 'First' }] },
      { key: 'api_key', label: 'Key', default: '***', value: '***', choices: [{ value: '***', label: '***' }] },
    ],
    ['with the default of any other option', { key: 'model', default: 'm' }, { key: 'model', default: 'm' }],
    [
      'with ordinary words',
      { key: 'model', command: 'a --model b', n: 1 },
      { key: 'model', command: 'a --model b', n: 1 },
    ],
  ]
  test.each(SHOWN)('%s', (_, value, shown) => {
    expect(blankSecrets(value)).toEqual(shown)
  })
})

test('a text is struck of declared secrets in every form, and of no ordinary word', () => {
  const secrets = new SecretValues()
  secrets.add({ env: { API_KEY: 'q"w<e>r-12345', MODE: 'production', OTHER: 'x-9f8e7d6c5b4a32', TOKEN: 'short' } })
  secrets.add({ token_env: 'GITHUB_TOKEN', args: ['--password', 'hunter2-hunter2'] })
  expect(secrets.strike('q"w<e>r-12345 production x-9f8e7d6c5b4a32 short GITHUB_TOKEN hunter2-hunter2')).toBe(
    '*** production *** short GITHUB_TOKEN ***',
  )
  expect(secrets.strike(JSON.stringify('q"w<e>r-12345'))).toBe('"***"')
  secrets.add({ password: 'swordfish-swordfish', key: 'agents-of-the-press' })
  expect(secrets.strike('swordfish-swordfish agents-of-the-press')).toBe('*** agents-of-the-press')
})

describe('declared secrets', () => {
  const known = (...values: string[]) => {
    const secrets = new SecretValues()
    for (const value of values) secrets.add({ env: { TOKEN: value } })
    return secrets
  }

  test('are struck when there is only one', () => {
    expect(known('first-secret-1').strike('a first-secret-1 b')).toBe('a *** b')
    expect([known().isEmpty, known('first-secret-1').isEmpty]).toEqual([true, false])
  })

  test('are struck whole when one begins with another', () => {
    expect(known('first-secret', 'first-secret-and-more').strike('first-secret-and-more')).toBe('***')
  })

  test('are struck from declarations as well, and what is not declared stays so', () => {
    const secrets = known('first-secret-1')
    expect(secrets.blank({ note: 'uses first-secret-1', env: { A: 'b' } })).toEqual({
      note: 'uses ***',
      env: { A: '***' },
    })
    expect(secrets.blank(undefined)).toBeUndefined()
  })

  test('are forgotten, the oldest first, when there are more than a thousand', () => {
    const secrets = known(...Array.from({ length: 1001 }, (_, n) => `secret-number-${n}.`))
    expect(secrets.strike('secret-number-0. secret-number-1. secret-number-1000.')).toBe('secret-number-0. *** ***')
  })
})

describe('a value that is sent back', () => {
  const show = (value: unknown) => blankSecrets(value)
  const stored = { args: ['--token', 'x', '--key', 'y'], env: { A: 'a' }, command: 'run --token x' }

  test('is what is stored, also when items were moved', () => {
    const given = {
      args: ['-v', '--key', '***', '--token', '***'],
      env: { A: '***', B: 'b' },
      command: 'run --token ***',
    }
    expect(restoreSecrets(given, stored, show)).toEqual({
      ...{ args: ['-v', '--key', 'y', '--token', 'x'], env: { A: 'a', B: 'b' } },
      command: 'run --token x',
    })
  })

  test('is what is stored, also for the first item and for a text that really has stars', () => {
    const real = { args: ['https://x@a.example/'], command: 'run --token x ***' }
    const given = { args: ['https://***@a.example/'], command: real.command }
    expect(restoreSecrets(given, real, show)).toEqual(real)
  })

  test.each([
    [{ args: ['--print', '***'] }, 'body.args[1]'],
    [{ args: ['--token', '***', '--token', '***'] }, 'body.args[3]'],
    [{ env: { B: '***' } }, 'body.env.B'],
    [{ command: 'other --token ***' }, 'body.command'],
  ])('is rejected where nothing is stored: %j', (given, at) => {
    expect(() => restoreSecrets(given, stored, show)).toThrow(`${at} holds "***"`)
    expect(() => rejectMarkers(given)).toThrow('holds "***"')
  })
})
