import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { agentRoutes } from '../../../src/agents/agents/routes.ts'
import { rigRoutes } from '../../../src/config/rig-api/routes.ts'
import { configRoutes } from '../../../src/config/views/routes.ts'
import type { Caller } from '../../../src/http/caller.ts'
import { human } from '../../../src/http/guard.ts'
import type { SessionRow } from '../../../src/work/sessions/table.ts'
import { serve } from '../../http/serve.ts'
import { scriptedTown } from '../../support/city.ts'

type JsonBody = Record<string, unknown>

const readJson = async (response: Response): Promise<JsonBody> => (await response.json()) as JsonBody

/**
 * A city on files of a test, whose programs and time are in the test's hands, and its agents, rigs and configuration
 * behind their routes. `$` in a file stands for the folder of the test.
 */
export async function agentsWorld(files: Record<string, string>, env: Record<string, string> = {}) {
  const town = scriptedTown()
  const { folder, path, reports, clock, host } = town
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  for (const [name, text] of Object.entries(files)) put(name, text.replaceAll('$', folder.path))
  const PATH = `${join(path, 'bin')}:${process.env.PATH}`
  const city = await town.open({ env: { ...process.env, PATH, ...env } })
  const { log, store, beadRepository, sessionRepository, reconciler } = city
  let caller: Caller = human
  const server = serve({
    routes: [...agentRoutes(() => city), ...rigRoutes(() => city), ...configRoutes(() => city)],
    guard: { resolve: () => caller },
    index: () => log.head,
  })
  const text = (name: string) => readFileSync(join(path, name), 'utf8')
  return {
    ...{ ...city, folder, path, put, text, clock, host, reports, server },
    /** Puts programs on the PATH of the city. */
    install(...names: string[]): void {
      for (const name of names) {
        put(`bin/${name}`, '#!/bin/sh\n')
        chmodSync(join(path, 'bin', name), 0o755)
      }
    },
    /** A session that a person started of an agent, which runs. */
    async session(name: string, alias?: string): Promise<SessionRow> {
      const before = new Set(sessionRepository.live().map(({ id }) => id))
      await city.sessions.creating.create(human, { kind: 'agent', name, ...(alias && { alias }) })
      await reconciler.settle()
      const [row] = sessionRepository.live().filter(({ id }) => !before.has(id))
      if (!row) throw new Error(`${name} has no new session`)
      return row
    },
    /** Closes all work, so that no more sessions are started for it. */
    finishWork: (): Promise<void> =>
      store.write((tx) => {
        for (const { id } of city.beads.list({ type: 'task' }).value.items) beadRepository.close(tx, id)
      }),
    /** Has the pool of an agent start so many more sessions, for work; returns all of it, the first slot first. */
    async pool(name: string, count: number): Promise<SessionRow[]> {
      const metadata = { 'gc.routed_to': name }
      await store.write((tx) => {
        for (let n = 0; n < count; n++) beadRepository.add(tx, { title: 'work', metadata })
      })
      await reconciler.settle()
      return sessionRepository.liveByTemplate(name).sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0))
    },
    /** Events recorded since the city was opened, except those of attention. */
    recorded: () => log.after(0, 1000).filter(({ type }) => !/^(controller\.started|attention\.)/.test(type)),
    /** Every file that people or we write, by name. */
    declared: () =>
      Object.fromEntries(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/^(city\.db|lock|last-good)/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
          .sort()
          .map((name) => [name, text(name)]),
      ),
    /** Requests from now on are this caller's. */
    as: (next: Caller) => {
      caller = next
    },
    get: async (at: string): Promise<JsonBody> =>
      readJson(await server.get(`/v0/city/c/${at}`, { authorization: 'Bearer x' })),
    send: async (method: string, at: string, body?: unknown) => {
      const response = await server.send(method, `/v0/city/c/${at}`, body, { authorization: 'Bearer x' })
      return { status: response.status, body: await readJson(response) }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await town[Symbol.asyncDispose]()
    },
  }
}
