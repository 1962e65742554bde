import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { makePolicy } from '../../../src/host/confine/start/default-policy.ts'
import { sandboxedArgv, sandboxProfile } from '../../../src/host/confine/start/sandbox-profile.ts'
import { tempFolder } from '../../support/folder.ts'

const AWKWARD = ['/Users/a "b"/work', '/Users/a(b) c;d/#e', '/Users/żółw/é', '/Users/back\\slash', "/Users/it's"]
const policy = { read: ['/usr', ...AWKWARD], write: ['/private/tmp/x y'], yields: [] }

/** The rules of a profile, each as the list that it is; throws at what is not a list of words, texts and lists. */
function rulesOf(profile: string): unknown[] {
  const tokens = profile.match(/#?"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? []
  const take = (): unknown => {
    const token = tokens.shift()
    if (token !== '(') return token?.startsWith('"') ? { text: token.slice(1, -1).replace(/\\(.)/g, '$1') } : token
    const list: unknown[] = []
    while (tokens[0] !== ')') {
      if (tokens.length === 0) throw new Error('a list has no end')
      list.push(take())
    }
    tokens.shift()
    return list
  }
  const rules: unknown[] = []
  while (tokens.length > 0) rules.push(take())
  return rules
}

const filters = (profile: string, operation: string): unknown[] =>
  rulesOf(profile).flatMap((rule) =>
    Array.isArray(rule) && rule[0] === 'allow' && rule.includes(operation) ? rule.filter(Array.isArray) : [],
  )

test('a sandbox on macOS is denied everything but what the policy names', () => {
  expect(sandboxProfile({ ...policy, read: ['/usr'], network: 'session', ports: [8400, 5432] })).toMatchInlineSnapshot(`
    "(version 1)
    (deny default)
    (allow process-fork)
    (allow signal (target same-sandbox))
    (allow process-info* (target same-sandbox))
    (allow sysctl-read)
    (allow ipc-posix-sem)
    (allow pseudo-tty)
    (allow file-read-metadata)
    (allow file-read-data (literal "/"))
    (allow mach-lookup
      (global-name "com.apple.system.opendirectoryd.libinfo")
      (global-name "com.apple.system.opendirectoryd.membership")
      (global-name "com.apple.bsd.dirhelper")
      (global-name "com.apple.logd")
      (global-name "com.apple.SecurityServer")
      (global-name "com.apple.trustd")
      (global-name "com.apple.trustd.agent")
      (global-name "com.apple.ocspd")
      (global-name "com.apple.SystemConfiguration.configd")
      (global-name "com.apple.SystemConfiguration.DNSConfiguration")
      (global-name "com.apple.system.notification_center")
      (global-name "com.apple.dnssd.service"))
    (allow file-read* file-map-executable process-exec
      (subpath "/usr"))
    (allow file-read* file-write* file-ioctl file-map-executable process-exec
      (subpath "/private/tmp/x y"))
    (allow file-read* file-write* file-ioctl (regex #"^/dev/ttys[0-9]+$"))
    (deny file-write-setugid)
    (allow system-socket)
    (allow network-bind (local ip "localhost:*"))
    (allow network-inbound (local ip "localhost:*"))
    (allow network-bind network-outbound
      (subpath "/private/tmp/x y"))
    (allow network-outbound
      (remote tcp "localhost:8400")
      (remote tcp "localhost:5432"))
    "
  `)
})

test('the paths of a sandbox keep every character, and none of them ends its text or its rule', () => {
  const profile = sandboxProfile({ ...policy, network: 'none', ports: [] })
  const paths = [...policy.read, ...policy.write].map((text) => ['subpath', { text }])
  expect(filters(profile, 'process-exec')).toEqual(paths)
  expect(filters(profile, 'file-write*').slice(0, 1)).toEqual([['subpath', { text: '/private/tmp/x y' }]])
  expect(rulesOf(profile).slice(0, 2)).toEqual([
    ['version', '1'],
    ['deny', 'default'],
  ])
})

test('a path with a character that no profile can name is refused', () => {
  const bad = { ...policy, write: ['/tmp/a\nb'], network: 'none' as const, ports: [] }
  expect(() => sandboxProfile(bad)).toThrow('"/tmp/a\\nb" cannot be named in a sandbox; rename it')
})

test('a sandbox names where a link leads, as /tmp does there to /private/tmp', () => {
  using folder = tempFolder()
  mkdirSync(folder.at('private', 'tmp'), { recursive: true })
  symlinkSync(folder.at('private', 'tmp'), folder.at('tmp'))
  writeFileSync(folder.at('private', 'tmp', 'tool'), '')
  const made = makePolicy({ home: folder.path, program: folder.at('tmp', 'tool'), write: [] })
  const profile = sandboxProfile(made)
  expect(filters(profile, 'file-read*')).toContainEqual(['subpath', { text: folder.at('private', 'tmp', 'tool') }])
  expect(profile).not.toContain(`"${folder.at('tmp')}"`)
})

test('a sandbox without a network has no rule about one, and one with no port connects to none', () => {
  expect(sandboxProfile({ ...policy, network: 'none', ports: [1] })).not.toContain('network')
  const closed = filters(sandboxProfile({ ...policy, network: 'session', ports: [] }), 'network-outbound')
  expect(closed).toEqual([['subpath', { text: '/private/tmp/x y' }]])
  const open = filters(sandboxProfile({ ...policy, network: 'open', ports: [] }), 'network-outbound')
  expect(open).toContainEqual(['remote', 'ip'])
})

test('a program is started in its sandbox with its own words', () => {
  const words = sandboxedArgv({ ...policy, network: 'none', ports: [] }, '/opt/agent', ['agent', '-p', 'a "b"'])
  expect([...words.slice(0, 2), ...words.slice(3)]).toEqual([
    ...['/usr/bin/sandbox-exec', '-p'],
    ...['/opt/agent', '-p', 'a "b"'],
  ])
})
