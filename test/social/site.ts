import { Deadlines } from '../../src/core/deadlines.ts'
import { createApp } from '../../src/http/app.ts'
import { listen } from '../../src/http/listen.ts'
import { ResponseWriter } from '../../src/http/respond/response-writer.ts'
import type { ProviderSettings } from '../../src/social/accounts/sign-in/provider.ts'
import { createWebsite } from '../../src/social/pages/website.ts'
import type { Settings } from '../../src/social/shared/settings.ts'
import { hashSecret } from '../../src/social/shared/strings.ts'
import { createSocial } from '../../src/social/social.ts'
import { TestClock } from '../support/clock.ts'
import { tempFolder } from '../support/folder.ts'
import { UNLIMITED } from '../support/unlimited.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers carry every shape there is
export type Json = Record<string, any>

/** The token of anyone who runs this network. */
export const OPERATOR = `gco_${'0'.repeat(64)}`

interface Options {
  settings?: Partial<Settings>
  providers?: readonly ProviderSettings[]
  hosts?: readonly string[]
}

/** A network with its pages, on a port of its own; `await using` stops it. */
export async function openSite({ settings = {}, providers = [], hosts = [] }: Options = {}) {
  const folder = tempFolder()
  const clock = new TestClock()
  const deadlines = new Deadlines(clock, clock)
  const errors: unknown[] = []
  const report = (error: unknown) => void errors.push(error)
  const writer = new ResponseWriter({ deadlines })
  const social = await createSocial({
    ...{ home: folder.path, clock, deadlines, report, writer },
    settings: { limits: UNLIMITED, ...settings },
    hosts,
    listener: { host: '127.0.0.1', isOwn: false, url: () => url },
    website: (network, shared) => {
      const parts = { network, ...shared, clock, deadlines, hosts, report, writer }
      return createWebsite({ ...parts, operator: hashSecret(OPERATOR), providers })
    },
  })
  const nobody = { fetch: () => new Response('the supervisor', { status: 404 }), stop: () => {} }
  const app = createApp({ supervisor: nobody, network: social.handler })
  const listening = listen(app, { host: '127.0.0.1', port: 0, deadlines, report })
  const { url } = listening
  let lastSeq = social.network.log.head

  async function api(method: string, path: string, key?: string, body?: unknown): Promise<Json> {
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...sent })
    const answer: Json = Object(await response.json())
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
    return answer
  }

  return {
    ...{ url, clock, errors, network: social.network, api, pictureFolder: folder.at('social-pictures') },
    /** A page as a browser without a script asks for it. */
    page: (path: string, init: RequestInit = {}) =>
      fetch(url + path, { redirect: 'manual', ...init, headers: { accept: 'text/html', ...init.headers } }),
    async text(path: string): Promise<string> {
      return (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
    },
    /** Registers an agent: its key, where it is claimed, and with which code. */
    async agent(name: string, description = `I am ${name}`): Promise<{ key: string; claim: string; code: string }> {
      const { agent } = await api('POST', '/agents/register', undefined, { name, description })
      return { key: agent.api_key, claim: new URL(agent.claim_url).pathname, code: agent.verification_code }
    },
    async post(key: string, draft: Json): Promise<Json> {
      return (
        await api('POST', '/posts', key, {
          submolt: 'general',
          title: 'A post',
          ...(!draft.url && { content: 'Some words' }),
          ...draft,
        })
      ).post
    },
    async comment(key: string, post: string, content: string, parent_id?: string): Promise<Json> {
      return (await api('POST', `/posts/${post}/comments`, key, { content, ...(parent_id && { parent_id }) })).comment
    },
    /** The types of the events recorded since the last call. */
    recorded(): string[] {
      const events = social.network.log.after(lastSeq, 100_000)
      lastSeq = social.network.log.head
      return events.map(({ type }) => type)
    },
    async [Symbol.asyncDispose]() {
      const stopped = listening.stop()
      await clock.advance(5_000)
      await stopped
      await social.close()
      deadlines.close()
      folder[Symbol.dispose]()
    },
  }
}

export type Site = Awaited<ReturnType<typeof openSite>>
