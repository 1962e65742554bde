import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempFolder } from '../support/folder.ts'

/** Runs a program to its end, and throws where it fails. */
function run(...argv: string[]): void {
  const ran = Bun.spawnSync(argv)
  if (ran.exitCode !== 0) throw new Error(`${argv.join(' ')}: ${ran.stderr}`)
}

function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = server
  server.stop()
  return port
}

/** Waits until an sshd says that it listens, and reads on, so that it never waits to be read. */
async function listening(said: ReadableStream<Uint8Array>): Promise<void> {
  const listens = Promise.withResolvers<void>()
  const read = async () => {
    let text = ''
    for await (const bytes of said) {
      text += Buffer.from(bytes).toString()
      if (text.includes('Server listening')) listens.resolve()
    }
    listens.reject(new Error(`sshd ended: ${text}`))
  }
  read().catch(listens.reject)
  await listens.promise
}

/** An sshd with a host key, a port and an authorized key of its own. */
export async function sshServer(folder: TempFolder) {
  const [host, key, known] = [folder.at('host-key'), folder.at('key'), folder.at('known_hosts')]
  for (const file of [host, key]) run('ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', file)
  const port = freePort()
  const settings = {
    ...{ ListenAddress: `127.0.0.1:${port}`, HostKey: host, AuthorizedKeysFile: `${key}.pub`, PidFile: 'none' },
    ...{ StrictModes: 'no', UsePAM: 'no', PasswordAuthentication: 'no', KbdInteractiveAuthentication: 'no' },
    PermitRootLogin: 'prohibit-password',
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`)
  writeFileSync(folder.at('sshd_config'), lines.join(''))
  // Where root runs it, sshd separates privileges in this folder.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const program = Bun.which('sshd') ?? '/usr/sbin/sshd'
  const server = Bun.spawn([program, '-D', '-e', '-f', folder.at('sshd_config')], { stdout: 'ignore', stderr: 'pipe' })
  const user = Bun.spawnSync(['id', '-un']).stdout.toString().trim()
  await listening(server.stderr)
  const [type, own] = readFileSync(`${host}.pub`, 'utf8').split(' ')
  writeFileSync(known, `[127.0.0.1]:${port} ${type} ${own}\n`)
  const options = ['-F', '/dev/null', '-i', key, '-o', 'IdentitiesOnly=yes', '-o', `UserKnownHostsFile=${known}`]
  return {
    known,
    key,
    /** As users write it into `core.sshCommand`. */
    command: ['ssh', ...options].join(' '),
    urlOf: (path: string) => `ssh://${user}@127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      server.kill()
      await server.exited
    },
  }
}

/** Behaviour of a server: correct, with an error after the push, or silent. */
export type Manner = 'well' | 'lost' | 'never'

/** `git http-backend` and a list of LFS files, behind a server that wants a token. */
export function httpServer(root: string, token: string) {
  const controls = { manner: 'well' as Manner, pushes: 0, lfs: new Set<string>() }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (controls.manner === 'never') return new Promise<Response>(() => {})
      const wanted = `Basic ${Buffer.from(`ann:${token}`).toString('base64')}`
      if (request.headers.get('authorization') !== wanted) {
        return new Response('who?', { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="git"' } })
      }
      const { pathname } = new URL(request.url)
      if (pathname === '/remote.git/info/lfs/objects/batch') return lfsAnswer(await request.text(), controls.lfs)
      const answer = await backend(root, request)
      if (!pathname.endsWith('/git-receive-pack')) return answer
      controls.pushes++
      return controls.manner === 'lost' ? new Response('bad gateway', { status: 502 }) : answer
    },
  })
  return {
    controls,
    address: `127.0.0.1:${server.port}`,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Response of an LFS server to a request for files. */
function lfsAnswer(asked: string, has: ReadonlySet<string>): Response {
  const answered = [...asked.matchAll(/"oid":"([0-9a-f]{64})"/g)].map(([, oid = '']) =>
    has.has(oid)
      ? { oid, actions: { download: { href: 'http://127.0.0.1:1/' } } }
      : { oid, error: { code: 404, message: 'not here' } },
  )
  return Response.json({ transfer: 'basic', objects: answered })
}

async function backend(root: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const { headers } = request
  const child = Bun.spawn(['git', 'http-backend'], {
    stdin: new Uint8Array(await request.arrayBuffer()),
    env: {
      ...{ PATH: process.env.PATH, GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ REMOTE_USER: 'ann', PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: headers.get('content-type') ?? '', GIT_PROTOCOL: headers.get('git-protocol') ?? '' },
      HTTP_CONTENT_ENCODING: headers.get('content-encoding') ?? '',
    },
  })
  const output = Buffer.from(await new Response(child.stdout).arrayBuffer())
  const end = output.indexOf('\r\n\r\n')
  const lines = output.subarray(0, end).toString().split('\r\n')
  const fields = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const,
  )
  const status = Number(fields.find(([name]) => name.toLowerCase() === 'status')?.[1]?.slice(0, 3) ?? 200)
  return new Response(output.subarray(end + 4), {
    status,
    headers: fields.map(([name, value]): [string, string] => [name, value]),
  })
}

/** git on a PATH of its own, which records the arguments of every git and ssh that is run. */
export function recordingPath(folder: TempFolder): { path: string; log: string } {
  const [bin, log] = [folder.at('bin'), folder.at('arguments')]
  mkdirSync(bin)
  writeFileSync(log, '')
  for (const name of ['git', 'ssh']) {
    const script = `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\nexec '${Bun.which(name)}' "$@"\n`
    writeFileSync(join(bin, name), script, { mode: 0o755 })
  }
  return { path: `${bin}:${process.env.PATH}`, log }
}
