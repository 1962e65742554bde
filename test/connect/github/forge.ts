interface Pull {
  number: number
  updated_at: string
  created_at?: string
  merged_at?: string | null
  closed_at?: string | null
  base?: string
}

/** An open pull request as GitHub returns it; by default one that can be merged. */
export interface OpenPull {
  number: number
  sha?: string
  merge?: string
  review?: string | null
  author?: string | null
  isDraft?: boolean
  isFork?: boolean
  base?: string
  rollup?: string
  checks?: object[]
}

const toNode = ({ number, sha = `sha${number}`, merge = 'CLEAN', author = 'ann', ...more }: OpenPull) => ({
  ...{ number, title: `change ${number}`, url: `https://github.com/press/oil/pull/${number}` },
  ...{ isDraft: more.isDraft ?? false, isCrossRepository: more.isFork ?? false, mergeStateStatus: merge },
  ...{ reviewDecision: more.review ?? null, author: author === null ? null : { login: author } },
  ...{ baseRefName: more.base ?? 'main', headRefName: `fix-${number}`, headRefOid: sha },
  commits: {
    nodes: [
      {
        commit: {
          statusCheckRollup: more.checks ? { state: more.rollup ?? 'SUCCESS', contexts: { nodes: more.checks } } : null,
        },
      },
    ],
  },
})

const OPEN_PAGE = 50

export type Forge = ReturnType<typeof forge>

/** A server that speaks the parts of GitHub's API that list pull requests, with ETags and rate limits. */
export function forge() {
  let pulls: Pull[] = []
  let open: OpenPull[] = []
  let refusal: string | undefined
  let limit: Record<string, string> | undefined
  const requests: { path: string; token: string | null; status: number }[] = []
  const toWire = ({ number, base = 'main', created_at = '2026-01-01T00:00:00Z', ...more }: Pull) => ({
    ...{ number, created_at, merged_at: null, closed_at: null, ...more, title: `change ${number}`, draft: false },
    ...{ html_url: `https://github.com/press/oil/pull/${number}`, user: { login: 'ann' } },
    ...{ base: { ref: base }, head: { ref: `fix-${number}`, sha: `sha${number}` } },
  })
  async function answerQuery(request: Request): Promise<Response> {
    requests.push({ path: '/graphql', token: request.headers.get('authorization'), status: 200 })
    if (refusal !== undefined) return Response.json({ errors: [{ message: refusal }] })
    const { variables } = Object(await request.json())
    const start = Number(variables.after ?? 0)
    const end = start + OPEN_PAGE
    const pageInfo = { hasNextPage: end < open.length, endCursor: String(end) }
    const pullRequests = { pageInfo, nodes: open.slice(start, end).map(toNode) }
    return Response.json({ data: { repository: { pullRequests } } })
  }
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/graphql') return answerQuery(request)
      const size = Number(searchParams.get('per_page'))
      const start = (Number(searchParams.get('page')) - 1) * size
      const sorted = pulls.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
      const body = JSON.stringify(sorted.slice(start, start + size).map(toWire))
      const etag = `W/"${Bun.hash(body)}"`
      const isSame = request.headers.get('if-none-match') === etag
      const status = limit ? 403 : isSame ? 304 : 200
      requests.push({ path: pathname, token: request.headers.get('authorization'), status })
      return new Response(status === 200 ? body : null, { status, headers: limit ?? { etag } })
    },
  })
  return {
    ...{ url: `http://127.0.0.1:${server.port}`, requests },
    set(...now: Pull[]) {
      pulls = now
    },
    /** Sets the open pull requests. */
    setOpen(...now: OpenPull[]) {
      open = now
    },
    refuse(message: string | undefined) {
      refusal = message
    },
    setLimit(headers: Record<string, string> | undefined) {
      limit = headers
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}

export const monitorOf = (url: string, more = '') => `
[[github.pr_monitor]]
name = "oil"
owner = "press"
repo = "oil"
base_url = "${url}"
token_env = "FORGE_TOKEN"
poll_interval = "1m"
${more}
`
