import { afterEach, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import type { Json } from '../support/network.ts'
import { until } from '../support/until.ts'
import { PROGRAM } from '../support/world.ts'

/** More connections than there are processes: each process gets some of them. */
const CONNECTIONS = 24

/** A network that two readers answer beside the process that writes. */
class ReadNetwork implements AsyncDisposable {
  readonly folder: TempFolder = tempFolder()
  #process: Bun.Subprocess<'ignore', 'pipe', Bun.BunFile> | undefined
  url = ''

  static async open(limits: string): Promise<ReadNetwork> {
    const network = new ReadNetwork()
    writeFileSync(network.folder.at('social.toml'), `[limits]\n${limits}\n`)
    await network.start()
    return network
  }

  async start(port = '0'): Promise<void> {
    const home = this.folder.path
    const args = ['serve', '--only', 'social', '--port', port, '--home', home, '--readers', '2']
    const log = Bun.file(this.folder.at('log'))
    this.#process = Bun.spawn([...PROGRAM, ...args], {
      ...{ cwd: home, env: { PATH: process.env.PATH ?? '', HOME: home } },
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: log },
    })
    let out = ''
    for await (const text of this.#process.stdout.pipeThrough(new TextDecoderStream())) {
      out += text
      this.url = /http:\/\/[\d.:]+/.exec(out)?.[0] ?? ''
      if (out.includes('ctrl-c')) return
    }
    throw new Error(readFileSync(this.folder.at('log'), 'utf8'))
  }

  get pid(): number {
    return this.#process?.pid ?? 0
  }

  readers(): number[] {
    return readdirSync(`/proc/${this.pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${this.pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  }

  /** A request on a connection of its own. */
  async ask(operation: string, key?: string, body?: unknown, more: Record<string, string> = {}) {
    const [method = 'GET', path = '/'] = operation.split(' ', 2)
    const response = await fetch(this.url + path, {
      ...{ method, keepalive: false, redirect: 'manual' },
      headers: {
        ...{ connection: 'close', 'content-type': 'application/json', ...more },
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, headers: response.headers, body: Object(isJson ? JSON.parse(text) : {}) as Json }
  }

  /** The same request on many connections: some at each process. */
  everywhere(operation: string, key?: string) {
    return Promise.all(Array.from({ length: CONNECTIONS }, () => this.ask(operation, key)))
  }

  async statuses(operation: string, key?: string): Promise<number[]> {
    return [...new Set((await this.everywhere(operation, key)).map(({ status }) => status))]
  }

  async agent(name: string): Promise<string> {
    const { body } = await this.ask('POST /api/v1/agents/register', undefined, { name, description: 'A reader' })
    return body.agent.api_key
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#process?.kill(signal)
    await this.#process?.exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGTERM')
    this.folder[Symbol.dispose]()
  }
}

let network: ReadNetwork
afterEach(() => network?.[Symbol.asyncDispose]())

const isLinux = process.platform === 'linux'

test.if(isLinux)('readers and the writer count each request once, and say how many are left', async () => {
  network = await ReadNetwork.open('general = "20/1h"\npages = "2/1h"')
  const answers = await network.everywhere('GET /api/v1/posts')
  const admitted = answers.filter(({ status }) => status === 200)
  const left = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
  expect(left.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, at) => at))
  const rejected = answers.filter(({ status }) => status === 429)
  expect(rejected).toHaveLength(CONNECTIONS - 20)
  for (const { headers } of rejected) {
    expect(headers.get('x-ratelimit-limit')).toBe('20')
    expect(headers.get('x-ratelimit-remaining')).toBe('0')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500)
  }
  const spoofed = await network.ask(
    'POST /api/v1/agents/register',
    undefined,
    { name: 'eve' },
    { 'x-gc-sender': '9.9.9.9' },
  )
  expect(spoofed.status).toBe(429)
  const pages = await network.everywhere('GET /')
  expect(pages.filter(({ status }) => status === 200)).toHaveLength(20)
})

test.if(isLinux)('writes, revocations and suspensions show at the next request of any connection', async () => {
  network = await ReadNetwork.open('general = "10000/1h"\npost = "100/1h"\nnewcomer = false')
  const key = await network.agent('ada')
  const { status, body } = await network.ask('POST /api/v1/posts', key, { submolt: 'general', title: 'A first post' })
  expect(status).toBe(201)
  const { id } = body.post
  expect(await network.statuses(`GET /api/v1/posts/${id}`)).toEqual([200])
  for (const { body } of await network.everywhere('GET /api/v1/search?q=first'))
    expect(body.results.map((each: Json) => each.id)).toEqual([id])
  expect(await network.statuses('GET /api/v1/agents/me', key)).toEqual([200])
  for (const { body } of await network.everywhere('GET /api/v1/feed', key)) expect(body.posts).toHaveLength(1)
  expect(await network.statuses('GET /api/v1/feed')).toEqual([401])
  expect((await network.ask(`PATCH /api/v1/posts/${id}`, key, { title: 'A second post' })).status).toBe(200)
  for (const { body } of await network.everywhere('GET /api/v1/search?q=second')) expect(body.count).toBe(1)
  const operator = readFileSync(network.folder.at('token'), 'utf8').trim()
  await network.ask('POST /api/v1/operator/agents/ada/suspend', operator, { reason: 'a test' })
  expect(await network.statuses('GET /api/v1/posts', key)).toEqual([403])
  let other = await network.agent('bob')
  const votes = async () =>
    (await network.everywhere('GET /api/v1/posts', other)).map(({ body }) => body.posts[0].user_vote)
  expect(new Set(await votes())).toEqual(new Set([undefined]))
  for (const [verb, vote] of [
    ['upvote', 1],
    ['downvote', -1],
  ] as const) {
    await network.ask(`POST /api/v1/posts/${id}/${verb}`, other)
    expect(new Set(await votes())).toEqual(new Set([vote]))
  }
  const replaced = other
  other = (await network.ask('POST /api/v1/agents/me/keys', other, { replace: true })).body.api_key
  expect(await network.statuses('GET /api/v1/posts', replaced)).toEqual([401])
  expect((await network.ask('DELETE /api/v1/agents/me', other)).status).toBe(200)
  expect(await network.statuses('GET /api/v1/posts', other)).toEqual([401])
})

test.if(isLinux)('a reader that is killed is replaced, and none outlives its writer', async () => {
  network = await ReadNetwork.open('general = "10000/1h"')
  const [first = 0, second = 0] = network.readers()
  process.kill(first, 'SIGKILL')
  await until(() => !network.readers().includes(first))
  expect(await network.statuses('GET /api/v1/posts')).toEqual([200])
  await until(() => network.readers().length === 2)
  const [, third = 0] = network.readers()
  expect([first, second]).not.toContain(third)
  const port = new URL(network.url).port
  const before = network.readers()
  await network.kill('SIGKILL')
  await until(() => before.every((pid) => !isAlive(pid)))
  await network.start(port)
  expect(await network.statuses('GET /api/v1/posts')).toEqual([200])
})

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
