import { AppError } from '../../../core/errors.ts'
import type { Policy } from '../policy.ts'

/** Starts programs in a sandbox on macOS; deprecated there, yet used by all known tools. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/** System services that programs need: users and groups, certificates, host names, settings. */
const SERVICES = [
  ...['com.apple.system.opendirectoryd.libinfo', 'com.apple.system.opendirectoryd.membership'],
  ...['com.apple.bsd.dirhelper', 'com.apple.logd'],
  ...['com.apple.SecurityServer', 'com.apple.trustd', 'com.apple.trustd.agent', 'com.apple.ocspd'],
  ...['com.apple.SystemConfiguration.configd', 'com.apple.SystemConfiguration.DNSConfiguration'],
  ...['com.apple.system.notification_center', 'com.apple.dnssd.service'],
]
/** Terminals are made while the program runs, so that they are named by a pattern. */
const TERMINALS = '(regex #"^/dev/ttys[0-9]+$")'

/** The words that start a program confined on macOS. */
export const sandboxedArgv = (policy: Policy, program: string, argv: readonly string[]): string[] => [
  ...[SANDBOX_EXEC, '-p', sandboxProfile(policy), program],
  ...argv.slice(1),
]

/**
 * The rules of a policy as macOS has them. A port that the program listens on itself cannot be told from others there,
 * so that it connects to none that is not listed.
 */
export function sandboxProfile({ read, list = [], write, network, ports }: Policy): string {
  const lines = [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    '(allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow ipc-posix-sem)',
    '(allow pseudo-tty)',
    '(allow file-read-metadata)',
    '(allow file-read-data (literal "/"))',
    rule(
      'mach-lookup',
      SERVICES.map((name) => `(global-name ${quote(name)})`),
    ),
    rule('file-read* file-map-executable process-exec', read.map(below)),
    rule(
      'file-read-data',
      list.map((path) => `(literal ${quote(path)})`),
    ),
    rule('file-read* file-write* file-ioctl file-map-executable process-exec', write.map(below)),
    `(allow file-read* file-write* file-ioctl ${TERMINALS})`,
    '(deny file-write-setugid)',
    ...networkRules(network, write, ports),
  ]
  return `${lines.filter((line) => line !== '').join('\n')}\n`
}

function networkRules(network: Policy['network'], write: readonly string[], ports: readonly number[]): string[] {
  if (network === 'none') return []
  const listening = [
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
  ]
  const sockets = rule('network-bind network-outbound', write.map(below))
  if (network === 'open')
    return ['(allow system-socket)', ...listening, sockets, '(allow network-outbound (remote ip))']
  const reached = ports.map((port) => `(remote tcp "localhost:${port}")`)
  return ['(allow system-socket)', ...listening, sockets, rule('network-outbound', reached)]
}

/** Nothing is allowed where nothing is named: a rule without a filter would allow everything. */
const rule = (operations: string, filters: readonly string[]): string =>
  filters.length === 0 ? '' : `(allow ${operations}\n  ${filters.join('\n  ')})`

const below = (path: string): string => `(subpath ${quote(path)})`

/** A text as the language of profiles has it. */
function quote(text: string): string {
  if (CONTROL.test(text)) {
    throw new AppError('service-unavailable', `${JSON.stringify(text)} cannot be named in a sandbox; rename it`)
  }
  return `"${text.replace(/[\\"]/g, '\\$&')}"`
}

const CONTROL = /\p{Cc}/u
