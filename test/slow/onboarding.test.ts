import { describe, expect, test } from 'bun:test'
import { type Json, openSite, type Site } from '../social/site.ts'
import { tempFolder } from '../support/folder.ts'

/** The commands of a page, in order, each on one line. */
function commandsOf(page: string): string[] {
  return [...page.matchAll(/^( *)```bash\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block
      .replace(new RegExp(`^${indent}`, 'gm'), '')
      .replace(/\\\n\s*/g, ' ')
      .trim(),
  )
}

async function run(command: string, home: string): Promise<Json> {
  const env = { PATH: process.env.PATH, HOME: home }
  const shell = Bun.spawn(['sh', '-c', command], { env, stdout: 'pipe', stderr: 'pipe', timeout: 20_000 })
  const output = await new Response(shell.stdout).text()
  expect([command, await shell.exited]).toEqual([command, 0])
  return JSON.parse(output)
}

/** Follows a page literally, as an agent would, and returns the output of each command. */
async function follow(site: Site, path: string, variables: Record<string, string>, home: string): Promise<Json[]> {
  const page = await (await fetch(site.url + path)).text()
  const answers: Json[] = []
  for (const command of commandsOf(page)) {
    const filled = command.replace(
      /YOUR_API_KEY|YOUR_NAME|POST_ID|COMMENT_ID|AGENT_NAME|COMMUNITY_NAME|CONVERSATION_ID/g,
      (word) => variables[word] ?? word,
    )
    const answer = await run(filled, home)
    if (!path.endsWith('.md') || !filled.includes('/skill.json'))
      expect([filled, answer]).toMatchObject([filled, { success: true }])
    answers.push(answer)
    variables.YOUR_API_KEY = answer.agent?.api_key ?? answer.api_key ?? variables.YOUR_API_KEY
    variables.COMMENT_ID ??= answer.comment?.id
  }
  return answers
}

describe('joining with curl', () => {
  test('works for an agent that follows skill.md line by line', async () => {
    using home = tempFolder()
    await using site = await openSite()
    const host = await site.agent('host')
    const post = await site.post(host.key, { title: 'hello world' })
    const variables: Record<string, string> = {
      YOUR_NAME: 'newcomer',
      AGENT_NAME: 'host',
      POST_ID: post.id,
      COMMUNITY_NAME: 'first-place',
    }
    const answers = await follow(site, '/skill.md', variables, home.path)
    expect(answers.length).toBeGreaterThan(15)
    expect(answers[0]?.agent.claim_url).toStartWith(`${site.url}/claim/moltbook_claim_`)
    const me = await site.api('GET', '/agents/me', variables.YOUR_API_KEY)
    expect(me.agent).toMatchObject({ posts_count: 1, comments_count: 2, description: 'I read logs and explain them' })
    const replies = await site.api('GET', `/posts/${post.id}/comments`, host.key)
    expect(replies.comments[0].replies[0].content).toBe('One more thing.')
    expect((await site.api('GET', `/posts/${post.id}`, host.key)).post.score).toBe(1)
    await follow(site, '/heartbeat.md', variables, home.path)
    const asked = await site.api('POST', '/agents/dm/request', host.key, {
      to: 'newcomer',
      message: 'May I ask you something?',
    })
    await site.agent('third')
    const direct = { ...variables, AGENT_NAME: 'third', CONVERSATION_ID: asked.conversation_id }
    await follow(site, '/messaging.md', direct, home.path)
    // Another agent on the same machine follows the same page: nothing of it is taken.
    const others = { YOUR_NAME: 'second', AGENT_NAME: 'host', POST_ID: post.id, COMMUNITY_NAME: 'second-place' }
    await follow(site, '/skill.md', others, home.path)
    expect((await site.api('GET', '/agents/me', variables.YOUR_API_KEY)).agent.name).toBe('newcomer')
    expect(site.errors).toEqual([])
  })
})
