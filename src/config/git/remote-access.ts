import { isIP } from 'node:net'
import { SECRET_MARKER, shellQuote } from '../../core/text/index.ts'
import type { Remote } from './remote.ts'

/** Access to a remote, with its credentials. */
export interface RemoteAccess {
  readonly remote: Remote
  /** The only addresses it may connect to; absent when it may look the host up itself. */
  readonly addresses?: readonly string[]
  /** The file of the SSH key that it shows. */
  readonly sshKey?: string
}

/** The settings and the environment with which git reaches a remote. Secrets are in the environment only. */
export interface RemoteCommand {
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Hands git the credentials through its environment, so that they are in no argument and no file. */
const CREDENTIAL_HELPER = '!f() { printf "username=%s\\npassword=%s\\n" "$GC_GIT_USERNAME" "$GC_GIT_PASSWORD"; }; f'

const PROXY_VARIABLES = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTPS_PROXY', 'ALL_PROXY']

/** Makes git reach a remote without redirects, stored credentials and prompts. */
export function remoteCommand({ remote, addresses, sshKey }: RemoteAccess): RemoteCommand {
  const { username, password } = remote
  const hasCredentials = username !== undefined || password !== undefined
  const settings = [
    'http.followRedirects=false',
    // A server that goes silent is given up, also when gc is not there any more to end git.
    'http.lowSpeedLimit=1',
    'http.lowSpeedTime=120',
    'credential.helper=',
    ...(hasCredentials ? [`credential.helper=${CREDENTIAL_HELPER}`] : []),
    ...(addresses ? pinnedSettings(remote, addresses) : []),
  ]
  return {
    settings: settings.flatMap((setting) => ['-c', setting]),
    env: {
      GC_GIT_USERNAME: username ?? '',
      GC_GIT_PASSWORD: password ?? '',
      ...sshEnvironment(remote, addresses?.[0], sshKey),
      ...(addresses && Object.fromEntries(PROXY_VARIABLES.map((name) => [name, '']))),
    },
  }
}

/** A proxy would look the host up again. */
function pinnedSettings({ url, host }: Remote, addresses: readonly string[]): string[] {
  if (!/^https?:/.test(url) || isIP(host)) return ['http.proxy=']
  const { port, protocol } = new URL(url)
  const reached = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address))
  return [
    'http.proxy=',
    `http.curloptResolve=${host}:${port || (protocol === 'https:' ? 443 : 80)}:${reached.join(',')}`,
  ]
}

/** SSH never asks. A pinned host is reached at its address, whatever the user's own configuration calls it. */
function sshEnvironment(
  { host }: Remote,
  address: string | undefined,
  key: string | undefined,
): Readonly<Record<string, string>> {
  if (address === undefined && key === undefined) return {}
  const words = [
    ...['ssh', '-o', 'BatchMode=yes', '-o', 'ServerAliveInterval=30'],
    ...(address === undefined ? [] : ['-F', '/dev/null', '-o', `HostName=${address}`, '-o', `HostKeyAlias=${host}`]),
    ...(key === undefined ? [] : ['-i', key, '-o', 'IdentitiesOnly=yes']),
  ]
  return { GIT_SSH_COMMAND: words.map((word) => shellQuote(word)).join(' ') }
}

/** A sentence of git without the secrets that it was given. */
export const withoutSecrets = (message: string, { password }: Remote): string =>
  password ? message.replaceAll(password, SECRET_MARKER) : message
