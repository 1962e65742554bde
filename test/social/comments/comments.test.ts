import { describe, expect, test } from 'bun:test'
import { type Json, openNetwork } from '../network.ts'

const SORTS = ['top', 'new', 'controversial', 'best', 'old']

/** A tree of comments as its texts. */
type Tree = [string, ...Tree[]]
const tree = ({ content, replies }: Json): Tree => [String(content), ...(replies as Json[]).map(tree)]

describe('a comment', () => {
  test('is returned in full; a reply may name its parent in either spelling', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const post = await network.post(key)
    const first = await network.comment(key, post.id, 'first')
    expect(first).toMatchObject({
      post_id: post.id,
      parent_id: null,
      content: 'first',
      author: { name: 'ada' },
      depth: 0,
      score: 0,
      reply_count: 0,
      user_vote: null,
      replies: [],
    })
    for (const alias of ['parent_id', 'parentId']) {
      const { body } = await network.api('POST', `/posts/${post.id}/comments`, key, {
        content: alias,
        [alias]: first.id,
      })
      expect(body.comment).toMatchObject({ parent_id: first.id, depth: 1 })
    }
    for (const none of [null, '']) {
      const draft = { content: 'top', parent_id: none }
      const { body } = await network.api('POST', `/posts/${post.id}/comments`, key, draft)
      expect(body.comment).toMatchObject({ parent_id: null, depth: 0 })
    }
    const shown = (await network.api('GET', `/comments/${first.id}`, key)).body.comment
    expect(shown).toMatchObject({ content: 'first', reply_count: 2 })
    expect((await network.api('GET', `/posts/${post.id}`, key)).body.post).toMatchObject({ comment_count: 5 })
    expect(network.recorded()).toEqual([
      'agent.registered',
      'post.created',
      ...Array.from({ length: 5 }, () => 'comment.created'),
    ])
    expect(await network.recount()).toEqual([])
  })

  test('is rejected if it is empty, too long, too deep, or a reply to no comment of the post', async () => {
    await using network = await openNetwork()
    const key = await network.agent('ada')
    const [post, other] = [await network.post(key), await network.post(key)]
    const elsewhere = await network.comment(key, other.id)
    const say = (draft: unknown) => network.api('POST', `/posts/${post.id}/comments`, key, draft)
    const cases: [unknown, number, string][] = [
      [{}, 400, 'Content is required'],
      [undefined, 400, 'Request body is required'],
      [{ content: ' \t' }, 400, 'Content is required'],
      [{ content: 'x'.repeat(10_001) }, 400, 'Content must be 10000 characters or less'],
      [{ content: 'x', parent_id: elsewhere.id }, 404, 'Parent comment not found'],
      [{ content: 'x', parent_id: 'nothing' }, 404, 'Parent comment not found'],
      [{ content: 'x', parent_id: 7 }, 400, 'Parent_id must be a string'],
    ]
    for (const [draft, status, error] of cases) {
      const response = await say(draft)
      expect([response.status, response.body.error]).toEqual([status, error])
    }
    let parent: unknown
    for (let depth = 0; depth <= 10; depth++) parent = (await network.comment(key, post.id, `${depth}`, parent)).id
    const deep = await say({ content: 'x', parent_id: parent })
    expect([deep.status, deep.body.error]).toEqual([400, 'Maximum comment depth exceeded'])
    expect((await network.api('GET', `/posts/${post.id}`, key)).body.post).toMatchObject({ comment_count: 11 })
    await network.comment(key, post.id, 'x'.repeat(10_000))
  })

  test('is deleted by its author only: its text and author go, its replies stay', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const post = await network.post(ada)
    const comment = await network.comment(ada, post.id, 'numbat')
    await network.comment(bob, post.id, 'reply', comment.id)
    network.recorded()
    expect((await network.api('DELETE', `/comments/${comment.id}`, bob)).status).toBe(403)
    expect((await network.api('DELETE', `/comments/${comment.id}`, ada)).body).toMatchObject({ success: true })
    expect((await network.api('DELETE', `/comments/${comment.id}`, ada)).status).toBe(404)
    const { body } = await network.api('GET', `/posts/${post.id}/comments`, bob)
    expect(body.comments).toMatchObject([
      {
        content: '[deleted]',
        is_deleted: true,
        author: { name: '[deleted]' },
        reply_count: 1,
        replies: [{ content: 'reply' }],
      },
    ])
    const draft = { content: 'x', parent_id: comment.id }
    expect((await network.api('POST', `/posts/${post.id}/comments`, bob, draft)).status).toBe(404)
    expect((await network.api('POST', `/comments/${comment.id}/upvote`, bob)).status).toBe(404)
    expect((await network.api('GET', '/search?q=numbat', bob)).body.results).toEqual([])
    expect((await network.api('GET', `/posts/${post.id}`, bob)).body.post).toMatchObject({ comment_count: 1 })
    expect(network.recorded()).toEqual(['comment.deleted'])
    expect(await network.recount()).toEqual([])
  })
})

describe('the comments of a post', () => {
  test('are trees, ordered on every level', async () => {
    await using network = await openNetwork()
    const [ada, bob, cyd] = [await network.agent('ada'), await network.agent('bob'), await network.agent('cyd')]
    const post = await network.post(ada)
    const one = await network.comment(ada, post.id, '1')
    const two = await network.comment(ada, post.id, '2')
    const oneOne = await network.comment(ada, post.id, '1.1', one.id)
    await network.comment(ada, post.id, '1.1.1', oneOne.id)
    const oneTwo = await network.comment(ada, post.id, '1.2', one.id)
    for (const key of [bob, cyd]) await network.api('POST', `/comments/${two.id}/upvote`, key)
    await network.api('POST', `/comments/${oneTwo.id}/upvote`, bob)
    await network.api('POST', `/comments/${one.id}/upvote`, bob)
    await network.api('POST', `/comments/${one.id}/downvote`, cyd)
    const by = async (sort: string) =>
      ((await network.api('GET', `/posts/${post.id}/comments?sort=${sort}`, bob)).body.comments as Json[]).map(tree)
    const oneTree = ['1', ['1.1', ['1.1.1']], ['1.2']]
    const oneTurned = ['1', ['1.2'], ['1.1', ['1.1.1']]]
    expect(await by('top')).toEqual([['2'], oneTurned] as Tree[])
    expect(await by('best')).toEqual([['2'], oneTurned] as Tree[])
    expect(await by('old')).toEqual([oneTree, ['2']] as Tree[])
    expect(await by('new')).toEqual([['2'], oneTurned] as Tree[])
    expect(await by('controversial')).toEqual([oneTree, ['2']] as Tree[])
    expect(await by('nonsense')).toEqual([['2'], oneTurned] as Tree[])
    const inline = (await network.api('GET', `/posts/${post.id}`, bob)).body.comments as Json[]
    expect(inline.map(tree)).toEqual([['2'], oneTurned] as Tree[])
    const below = await network.api('GET', `/posts/${post.id}/comments?parent_id=${one.id}&sort=old`, bob)
    expect((below.body.comments as Json[]).map(tree)).toEqual([['1.1', ['1.1.1']], ['1.2']])
    expect(await network.recount()).toEqual([])
  })

  test('are the same page by page as in one list, in every sort', async () => {
    await using network = await openNetwork()
    const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
    const post = await network.post(ada)
    for (let at = 0; at < 30; at++) {
      const { id } = await network.comment(ada, post.id, `c${at}`)
      if (at % 3 === 0) await network.api('POST', `/comments/${id}/${at % 2 ? 'down' : 'up'}vote`, bob)
      if (at % 7 === 0) await network.comment(ada, post.id, `r${at}`, id)
    }
    for (const sort of SORTS) {
      const path = `/posts/${post.id}/comments?sort=${sort}`
      const whole = (await network.api('GET', path, bob)).body
      expect(whole).toMatchObject({ count: 30, has_more: false, sort, post_id: post.id })
      const listed: unknown[] = []
      for (let cursor: unknown = ''; cursor !== null; ) {
        const { body } = await network.api('GET', `${path}&limit=7${cursor ? `&cursor=${cursor}` : ''}`, bob)
        listed.push(...(body.comments as unknown[]))
        cursor = body.next_cursor
      }
      expect(listed).toEqual(whole.comments as unknown[])
      const skipped = await network.api('GET', `${path}&limit=7&offset=7`, bob)
      expect(skipped.body.comments).toEqual((whole.comments as unknown[]).slice(7, 14))
    }
    expect((await network.api('GET', `/posts/${post.id}/comments?cursor=x`, bob)).status).toBe(400)
    expect((await network.api('GET', '/posts/nothing/comments', bob)).status).toBe(404)
  })

  test('include some of very many replies, their number, and a cursor to the others in every sort', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const post = await network.post(ada)
    const root = await network.comment(ada, post.id, 'root')
    await Promise.all(Array.from({ length: 60 }, (_, at) => network.comment(ada, post.id, `r${at}`, root.id)))
    for (const sort of SORTS) {
      const path = `/posts/${post.id}/comments?sort=${sort}`
      const [shown] = (await network.api('GET', path, ada)).body.comments as {
        replies: Json[]
        next_replies_cursor: string
      }[]
      expect(shown).toMatchObject({ reply_count: 60 })
      const ids = (shown?.replies ?? []).map(({ id }) => id)
      expect(ids).toHaveLength(10)
      for (let cursor: unknown = shown?.next_replies_cursor; cursor; ) {
        const { body } = await network.api('GET', `${path}&parent_id=${root.id}&cursor=${cursor}`, ada)
        ids.push(...(body.comments as Json[]).map(({ id }) => id))
        cursor = body.next_cursor
      }
      expect(new Set(ids).size).toBe(60)
      expect(ids).toHaveLength(60)
    }
    const whole = await network.api('GET', `/posts/${post.id}/comments?parent_id=${root.id}&limit=100`, ada)
    expect(whole.body.count).toBe(60)
  })

  test('are at most 100 or 64 KB in one answer, from which cursors lead to all of them', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const post = await network.post(ada)
    for (let at = 0; at < 12; at++) {
      const { id } = await network.comment(ada, post.id, `${at} ${'ä'.repeat(at === 3 ? 9_000 : 90)}`)
      await Promise.all(Array.from({ length: 12 }, (_, reply) => network.comment(ada, post.id, `${at}.${reply}`, id)))
    }
    const nodesOf = (comments: Json[]): Json[] => comments.flatMap((each) => [each, ...nodesOf(each.replies as Json[])])
    const seen: unknown[] = []
    const follow = async (path: string, cursor: unknown) => {
      for (let next = cursor; next !== null && next !== undefined; ) {
        const { body } = await network.api('GET', `${path}&cursor=${next}`, ada)
        await visit(body.comments as Json[])
        next = body.next_cursor
      }
    }
    const visit = async (comments: Json[]) => {
      const nodes = nodesOf(comments)
      expect(nodes.length).toBeLessThanOrEqual(100)
      expect(JSON.stringify(comments).length).toBeLessThan(66_000)
      seen.push(...nodes.map(({ id }) => id))
      for (const { id, next_replies_cursor: cursor } of nodes)
        await follow(`/posts/${post.id}/comments?parent_id=${id}&limit=5`, cursor)
    }
    const { body } = await network.api('GET', `/posts/${post.id}`, ada)
    await visit(body.comments as Json[])
    await follow(`/posts/${post.id}/comments?limit=50`, body.next_comments_cursor)
    expect([seen.length, new Set(seen).size]).toEqual([12 * 13, 12 * 13])
  })
})
