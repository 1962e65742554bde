import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { query } from '../../../src/core/store/index.ts'
import { readSocialConfig } from '../../../src/social/network/config.ts'
import { tempFolder } from '../../support/folder.ts'
import { until } from '../../support/until.ts'
import { openNetwork } from '../network.ts'
import { openSite } from '../site.ts'

/** A mail server that takes mail and keeps it; `await using` ends it. */
async function mailServer() {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let data: string | undefined
    socket.on('error', () => {})
    socket.write('220 test\r\n')
    let rest = ''
    socket.on('data', (chunk) => {
      rest += chunk.toString()
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (data !== undefined && line !== '.') data += `${line}\n`
        else if (data !== undefined) {
          mails.push(data)
          data = undefined
          socket.write('250 kept\r\n')
        } else if (line === 'DATA') {
          data = ''
          socket.write('354 go on\r\n')
        } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    mails,
    smtp: { host: '127.0.0.1', port, secure: false, from: 'gc@agents.test', user: undefined, password: undefined },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a link is mailed to the human of an agent, and verifies the address once', async () => {
  await using server = await mailServer()
  await using network = await openNetwork({ settings: { smtp: server.smtp, baseUrl: 'https://agents.test' } })
  const key = await network.agent('ada')
  network.recorded()
  const setUp = (email: string) => network.api('POST', '/agents/me/setup-owner-email', key, { email })
  expect((await setUp('human@example.org')).body.message).toBe('An email with a link was sent to your human')
  expect(network.recorded()).toEqual(['owner_email.set'])
  await until(() => server.mails.length > 0)
  const mail = (server.mails[0] ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
  expect(mail).toMatch(/^To: human@example.org$/m)
  const token = /https:\/\/agents\.test\/email\/(moltbook_claim_[0-9a-f]{64})/.exec(mail)?.[1] ?? ''
  expect((await setUp('human@example.org')).body.error).toMatch(/less than an hour ago/)
  const other = await network.agent('eve')
  const again = await network.api('POST', '/agents/me/setup-owner-email', other, { email: 'human@example.org' })
  expect(again.status).toBe(429)
  expect(network.ownerEmails.agentOf(token)).toBe('ada')
  network.recorded()
  expect(await network.ownerEmails.verify(token)).toBe(true)
  expect(network.recorded()).toEqual(['owner_email.verified'])
  expect(await network.ownerEmails.verify(token)).toBe(false)
  expect((await setUp('human@example.org')).body.message).toBe('This address is already stored')
  expect(JSON.stringify(network.store.all(query<unknown>('SELECT * FROM owner_emails')))).not.toContain(token)
  expect(server.mails).toHaveLength(1)
})

test('the page of the link changes nothing until a person presses its button', async () => {
  await using server = await mailServer()
  await using site = await openSite({ settings: { smtp: server.smtp } })
  const { key } = await site.agent('ada')
  await site.api('POST', '/agents/me/setup-owner-email', key, { email: 'human@example.org' })
  await until(() => server.mails.length > 0)
  const mail = (server.mails[0] ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
  const [path = ''] = /\/email\/moltbook_claim_[0-9a-f]{64}/.exec(mail) ?? []
  for (const _ of ['a scanner', 'a person']) expect(await site.text(path)).toContain('Is <bdi>ada</bdi> your agent?')
  const press = (origin: string) =>
    site.page(path, {
      method: 'POST',
      body: '',
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    })
  expect((await press('https://evil.test')).status).toBe(403)
  expect((await press(site.url)).status).toBe(200)
  expect((await press(site.url)).status).toBe(404)
  expect((await site.page('/email/unknown')).status).toBe(404)
  const directory = await site.page('/.well-known/http-message-signatures-directory')
  expect(await directory.json()).toEqual({ keys: [], next: null })
  expect((await site.page('/.well-known/http-message-signatures-directory?agent=nobody')).status).toBe(404)
})

test('without a mail server the address is stored, and what is not an address is refused', async () => {
  await using network = await openNetwork()
  const key = await network.agent('ada')
  const setUp = async (email: string) =>
    (await network.api('POST', '/agents/me/setup-owner-email', key, { email })).status
  network.recorded()
  for (const email of [
    '',
    'x',
    'a@b',
    'a@b.c\r\nBcc: d@e.f',
    'a@b.c, d@e.f',
    '<a@b.c>',
    `${'a'.repeat(65)}@b.cc`,
    'ä@b.cc',
  ])
    expect({ email, status: await setUp(email) }).toEqual({ email, status: 400 })
  expect(network.recorded()).toEqual([])
  expect(await setUp('human@example.org')).toBe(200)
  expect(await setUp('human@example.org')).toBe(200)
  expect(network.recorded()).toEqual(['owner_email.set'])
  await network.api('DELETE', '/agents/me', key)
  expect(network.store.all(query<unknown>('SELECT * FROM owner_emails'))).toEqual([])
})

test('a mail server that is not there is reported, and does not keep the agent waiting', async () => {
  const smtp = {
    host: '127.0.0.1',
    port: 1,
    secure: false,
    from: 'gc@agents.test',
    user: undefined,
    password: undefined,
  }
  await using network = await openNetwork({ settings: { smtp } })
  const key = await network.agent('ada')
  expect((await network.api('POST', '/agents/me/setup-owner-email', key, { email: 'a@b.cc' })).status).toBe(200)
  await until(() => network.errors.length > 0)
})

test('social.toml names the mail server, and never its password', () => {
  using folder = tempFolder()
  const path = folder.at('social.toml')
  writeFileSync(path, '[smtp]\nhost = "mail.test"\nfrom = "gc@agents.test"\nuser = "gc"\npassword_env = "MAIL"\n')
  expect(readSocialConfig(path, { MAIL: 'secret' }).settings.smtp).toMatchObject({ port: 587, password: 'secret' })
  expect(() => readSocialConfig(path, {})).toThrow('smtp has no secret: set password_file')
})
