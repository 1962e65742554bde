import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempFolder } from './folder.ts'

/** The text of a pack.toml with these imports. */
export const packToml = (name: string, ...imports: readonly [binding: string, source: string, version?: string][]) =>
  [
    `[pack]\nname = "${name}"\nschema = 2\n`,
    ...imports.map(([binding, source, version]) =>
      [`[imports.${binding}]`, `source = "${source}"`, ...(version ? [`version = "${version}"`] : []), ''].join('\n'),
    ),
  ].join('\n')

/** Content of a repository's file: its text, the target of its link, or none. */
export type RepositoryFile = string | { readonly link: string } | null

/** A real git repository of packs, in a folder of its own. */
export function packRepository() {
  const folder = tempFolder()
  const git = (...words: string[]): string => {
    const settings = [
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      '-c',
      'init.defaultBranch=main',
      '-c',
      'protocol.file.allow=always',
    ]
    const env = { PATH: process.env.PATH, HOME: folder.path, GIT_CONFIG_NOSYSTEM: '1' }
    const { exitCode, stdout, stderr } = Bun.spawnSync(['git', ...settings, ...words], { cwd: folder.path, env })
    if (exitCode !== 0) throw new Error(`git ${words[0]}: ${stderr}`)
    return stdout.toString().trim()
  }
  git('init', '-q', '.')
  return {
    path: folder.path,
    url: `file://${folder.path}`,
    git,
    /** Commits files and gives the commit a tag; returns its id. */
    commit(files: Readonly<Record<string, RepositoryFile>>, tag?: string): string {
      for (const [file, content] of Object.entries(files)) {
        const path = join(folder.path, file)
        mkdirSync(dirname(path), { recursive: true })
        rmSync(path, { force: true, recursive: true })
        if (typeof content === 'string') writeFileSync(path, content)
        else if (content) symlinkSync(content.link, path)
      }
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', tag ?? 'change')
      if (tag) git('tag', tag)
      return git('rev-parse', 'HEAD')
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

export type PackRepository = ReturnType<typeof packRepository>

export interface GitServerOptions {
  /** Required token; absent to serve everyone. */
  readonly token?: string
  /** Answers a request itself instead of git. */
  readonly intercept?: (request: Request) => Response | Promise<Response> | undefined
}

/** Serves repositories over HTTP by git itself, on the loopback. */
export function gitServer(repository: PackRepository, { token, intercept }: GitServerOptions = {}) {
  const requests: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      requests.push(`${request.method} ${pathname}${search}`)
      const own = await intercept?.(request)
      if (own) return own
      const shown = Buffer.from(request.headers.get('authorization')?.split(' ')[1] ?? '', 'base64').toString()
      if (token !== undefined && shown.split(':')[1] !== token) {
        return new Response('', { status: 401, headers: { 'www-authenticate': 'Basic realm="packs"' } })
      }
      return backend(request, repository.path)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/packs.git`,
    host: `127.0.0.1:${server.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Runs git as the CGI program that it is. */
async function backend(request: Request, path: string): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const child = Bun.spawn(['git', 'http-backend'], {
    env: {
      ...{ PATH: process.env.PATH, HOME: path, GIT_HTTP_EXPORT_ALL: '1', GIT_PROJECT_ROOT: `${path}/.git` },
      ...{ PATH_INFO: pathname.replace('/packs.git', ''), QUERY_STRING: search.slice(1) },
      ...{ REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers.get('content-type') ?? '' },
      ...{ HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '' },
      GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
    },
    stdin: new Uint8Array(await request.arrayBuffer()),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = Buffer.from(await new Response(child.stdout).arrayBuffer())
  const end = output.indexOf('\r\n\r\n')
  const headers = new Headers()
  for (const line of output.subarray(0, end).toString().split('\r\n')) {
    const [name = '', value = ''] = line.split(': ')
    if (name) headers.set(name, value)
  }
  const status = Number(headers.get('status')?.split(' ')[0] ?? 200)
  headers.delete('status')
  return new Response(output.subarray(end + 4), { status, headers })
}
