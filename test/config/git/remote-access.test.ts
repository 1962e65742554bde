import { expect, test } from 'bun:test'
import { parseRemote, type Remote } from '../../../src/config/git/remote.ts'
import { remoteCommand, withoutSecrets } from '../../../src/config/git/remote-access.ts'

const remoteAt = (url: string, more: Partial<Remote> = {}): Remote => ({
  url,
  host: parseRemote(url)?.host ?? '',
  ...more,
})

test('secrets are in the environment of git, never in its arguments or messages', () => {
  const remote = remoteAt('https://example.com/x.git', { username: 'me', password: 'very-secret' })
  const { settings, env } = remoteCommand({ remote })
  expect(settings.join(' ')).not.toContain('very-secret')
  expect(settings).toContain('http.followRedirects=false')
  expect(env.GC_GIT_PASSWORD).toBe('very-secret')
  expect(withoutSecrets('fatal: very-secret is wrong', remote)).toBe('fatal: *** is wrong')
  expect(remoteCommand({ remote: remoteAt('https://example.com/x.git') }).settings.join(' ')).not.toContain('GC_GIT')
})

test.each([
  ['https://example.com/x.git', ['1.2.3.4'], 'http.curloptResolve=example.com:443:1.2.3.4'],
  ['http://example.com/x.git', ['1.2.3.4', '2001:db8::1'], 'http.curloptResolve=example.com:80:1.2.3.4,[2001:db8::1]'],
  ['https://example.com:8443/x.git', ['1.2.3.4'], 'http.curloptResolve=example.com:8443:1.2.3.4'],
])('%s is reached at the addresses that were checked, and not through a proxy', (url, addresses, setting) => {
  const { settings, env } = remoteCommand({ remote: remoteAt(url), addresses })
  expect(settings).toContain(setting)
  expect(settings).toContain('http.proxy=')
  expect([env.https_proxy, env.HTTPS_PROXY, env.ALL_PROXY]).toEqual(['', '', ''])
})

test('ssh reaches the address that was checked, whatever the user calls by that name, and shows the key of the rule', () => {
  const { env } = remoteCommand({
    ...{ remote: remoteAt('git@example.com:a/x.git'), addresses: ['1.2.3.4'], sshKey: "/home/it's/key" },
  })
  expect(env.GIT_SSH_COMMAND).toBe(
    [
      "'ssh' '-o' 'BatchMode=yes' '-o' 'ServerAliveInterval=30' '-F' '/dev/null' '-o' 'HostName=1.2.3.4' '-o' 'HostKeyAlias=example.com'",
      "'-i' '/home/it'\\''s/key' '-o' 'IdentitiesOnly=yes'",
    ].join(' '),
  )
  expect(remoteCommand({ remote: remoteAt('git@example.com:a/x.git') }).env.GIT_SSH_COMMAND).toBeUndefined()
})
