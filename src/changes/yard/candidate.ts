import type { UserGit } from './user-git.ts'
import type { Yard } from './yard.ts'

/** The parts of a landing commit. Equal parts give the same commit at any time. */
export interface CandidateParts {
  readonly tip: string
  readonly head: string
  readonly tree: string
  /** Heads that landed before, whose commits are not told again. */
  readonly landed: readonly string[]
  readonly strategy: 'squash' | 'merge'
  readonly landing: string
  readonly bead?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  /** Unix time in seconds. */
  readonly submittedAt: number
  readonly committedAt: number
}

const MAX_COMMITS = 100
const MAX_BODY = 16 * 1024
const MAX_AUTHORS = 20
/** Lines by which gc finds its landings; a message of an agent has none of them. */
const OWN_TRAILER = /^(?:gc-[a-z-]+|bead|session)\s*:/i

interface Commit {
  readonly name: string
  readonly email: string
  readonly subject: string
  readonly body: string
}

/** Makes the commit that lands, and returns it. `user` is given where it must be signed with the user's key. */
export async function makeCandidate(yard: Yard, parts: CandidateParts, user?: UserGit): Promise<string> {
  const { tip, head, tree, strategy, agent, submittedAt, committedAt } = parts
  const commits = await commitsOf(yard, parts)
  const last = commits.at(-1)
  const date = {
    GIT_AUTHOR_DATE: `@${submittedAt} +0000`,
    GIT_COMMITTER_DATE: `@${committedAt} +0000`,
    GIT_AUTHOR_NAME: word(agent ?? last?.name ?? '') || 'agent',
    GIT_AUTHOR_EMAIL: word(last?.email ?? '') || 'agent@localhost',
  }
  const signing = await user?.signing()
  const repository = signing ? yard.using(signing, date) : yard.with(date)
  const parents = strategy === 'merge' ? ['-p', tip, '-p', head] : ['-p', tip]
  const args = ['commit-tree', tree, ...parents, ...(signing ? ['-S'] : []), '-F', '-']
  const text = messageOf(parts, commits)
  return (await repository.read(args, { input: Buffer.from(text) })).trim()
}

/** The commits of a branch, oldest first. */
async function commitsOf(yard: Yard, { tip, head, landed }: CandidateParts): Promise<Commit[]> {
  const format = ['--no-merges', '-n', String(MAX_COMMITS), '--format=%an%x00%ae%x00%s%x00%b%x00%x01']
  const text = await yard.own.read(['log', ...format, head, '--not', tip, ...landed], { maxOutput: 8 * 1024 * 1024 })
  const entries = text.split('\x01').map((entry) => entry.replace(/^\n/, ''))
  return entries
    .filter(Boolean)
    .map((entry) => {
      const [name = '', email = '', subject = '', body = ''] = entry.split('\0')
      return { name, email, subject, body }
    })
    .reverse()
}

/** The message of a landing: what the branch's own commits say, and trailers of gc's own. */
function messageOf(parts: CandidateParts, commits: readonly Commit[]): string {
  const { landing, bead, session, head } = parts
  const [first] = commits
  const subject = line(first?.subject ?? '') || `Land ${landing}`
  const [only] = commits.length === 1 ? commits : []
  const body = only ? only.body : commits.map((each) => `* ${line(each.subject)}`).join('\n')
  const own = body
    .split('\n')
    .filter((each) => !OWN_TRAILER.test(each.trim()) && !/^co-authored-by:/i.test(each.trim()))
  const authors = [...new Set(commits.map(({ name, email }) => `${word(name)} <${word(email)}>`))].slice(0, MAX_AUTHORS)
  const trailers = [
    ...(bead ? [`Bead: ${line(bead)}`] : []),
    ...(session ? [`Session: ${line(session)}`] : []),
    `Gc-Landing: ${landing}`,
    `Gc-Head: ${head}`,
    ...authors.map((author) => `Co-authored-by: ${author}`),
  ]
  const text = clean(own.join('\n')).slice(0, MAX_BODY).trim()
  return [subject, '', ...(text === '' ? [] : [text, '']), ...trailers, ''].join('\n')
}

const clean = (text: string): string => text.replaceAll(/[^\P{Cc}\t\n]/gu, '')
const line = (text: string): string => clean(text).replaceAll(/\s+/g, ' ').trim().slice(0, 500)
const word = (text: string): string => line(text).replaceAll(/[<>]/g, '').slice(0, 200)
