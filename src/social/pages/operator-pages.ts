import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { AgentSuspensions } from '../accounts/index.ts'
import type { LabelAttachments } from '../communities/index.ts'
import {
  htmlResponse,
  layout,
  type PageRoute,
  page,
  plural,
  redirect,
  type SiteRequest,
  singleLine,
} from '../html/index.ts'
import { type Post, type Posts, type Reports, toPost } from '../posts/index.ts'
import { badRequest, cleanLine, postNotFound } from '../shared/index.ts'
import { postList } from './components.ts'
import type { OperatorAccess } from './operator-access.ts'

interface Services {
  readonly reports: Reports
  readonly posts: Posts
  readonly attachments: LabelAttachments
  readonly suspensions: AgentSuspensions
}

const REPORTS = '/operator/reports'
const MAX_REASON = 500
/** Number of posts that are decided on together. */
const MAX_POSTS = 100

/** Action of the operator on reported posts. */
interface Action {
  readonly button: string
  /** Texts of a page before and after. */
  readonly question: (posts: number) => string
  readonly warning: string
  readonly done: (posts: number) => string
  readonly isHarsh: boolean
  readonly canUndo: boolean
}

const posts = (count: number): string => plural(count, 'post')

const ACTIONS: Readonly<Record<'dismiss' | 'delete' | 'suspend', Action>> = {
  dismiss: {
    button: 'Dismiss the reports',
    question: (count) => `Dismiss the reports of ${posts(count)}?`,
    warning: '',
    done: (count) => `The reports of ${posts(count)} are dismissed. The posts remain.`,
    ...{ isHarsh: false, canUndo: true },
  },
  delete: {
    button: 'Delete the posts',
    question: (count) => `Delete ${posts(count)}?`,
    warning: 'This cannot be undone.',
    done: (count) => `Deleted ${posts(count)}.`,
    ...{ isHarsh: true, canUndo: false },
  },
  suspend: {
    button: 'Suspend the authors',
    question: (count) => `Suspend the authors of ${posts(count)}?`,
    warning: 'Their votes of the last day are withdrawn permanently.',
    done: (count) => `The authors of ${posts(count)} are suspended, and their votes of the last day are withdrawn.`,
    ...{ isHarsh: true, canUndo: true },
  },
}
type ActionName = keyof typeof ACTIONS

const actionOf = (name: string | null): ActionName | undefined =>
  name === 'dismiss' || name === 'delete' || name === 'suspend' ? name : undefined

type Reported = ReturnType<Reports['allOpen']>[number]

/** Filter of reported posts. */
interface Filter {
  readonly community: string
  readonly author: string
  readonly min: number
}

/** Pages on which the operator of this server checks and decides. */
export class OperatorPages {
  constructor(
    private readonly services: Services,
    private readonly access: OperatorAccess,
    private readonly clock: Clock,
  ) {}

  routes(): PageRoute[] {
    return [
      page(`GET ${REPORTS}`, (request) => this.#reported(request)),
      page(`POST ${REPORTS}/confirm`, (request) => this.#confirm(request)),
      page(`POST ${REPORTS}/apply`, (request) => this.#apply(request)),
      page(`POST ${REPORTS}/undo`, (request) => this.#undo(request)),
    ]
  }

  /** Open reports of agents that match the filter. */
  #reported(request: SiteRequest): Response {
    this.access.check(request)
    const filter = filterOf(request.query)
    const all = this.services.reports.allOpen()
    const reported = all.filter((one) => passes(one, filter))
    const main = html`<h1>Reported posts</h1>
${this.#outcome(request.query)}
<p class="quiet">Most reported first. Moderators of their communities also see them.</p>
${filterForm(filter)}
${reported.length === 0 && html`<p class="empty">${all.length === 0 ? 'No reported posts.' : 'No reported posts match this filter.'}</p>`}
${reported.length > 0 && this.#queue(reported)}`
    return htmlResponse(layout({ title: 'Reported posts', main }), { isPrivate: true })
  }

  #queue(reported: readonly Reported[]): Markup {
    const labels = this.services.attachments.ofPosts(reported.map(({ post }) => post.id))
    return html`<form method="post" action="${REPORTS}/confirm">${this.#token()}
${reported.map(
  ({ post, report_count, reasons }) => html`<section aria-label="${singleLine(post.title)}">
<p class="after"><label class="pick"><input type="checkbox" name="post" value="${post.id}"> <span class="tag warn">${plural(report_count, 'report')}</span></label> ${reasons.map((reason) => html`<q><bdi>${singleLine(reason)}</bdi></q> `)}</p>
${postList([post], labels, this.clock, '')}${hidden('listed', post.id)}</section>`,
)}
<p class="after"><label class="pick"><input type="checkbox" name="all" value="yes"> ${reported.length === 1 ? 'The one post' : `All ${posts(reported.length)}`} on this page</label></p>
<div class="actions">${buttons()}</div></form>`
  }

  /** Asks before something happens, and names what it happens to. */
  #confirm(request: SiteRequest): Response {
    this.access.checkForm(request)
    const action = actionOf(request.form.get('action'))
    const selected = this.#selected(request.form)
    if (!action || selected.length === 0) throw badRequest('Select at least one post and an action')
    const { question, warning, button, isHarsh } = ACTIONS[action]
    const main = html`<h1>${question(selected.length)}</h1>
${warning !== '' && html`<p>${warning}</p>`}
<ul class="rows apart">${selected.map(({ id, title, author_name, submolt_name }) => html`<li><a href="/p/${id}"><bdi>${singleLine(title) || 'untitled'}</bdi></a> <span class="quiet">by <bdi>${singleLine(author_name)}</bdi> in m/${submolt_name}</span></li>`)}</ul>
<form class="apart" method="post" action="${REPORTS}/apply">${this.#token()}${hidden('action', action)}${selected.map(({ id }) => hidden('post', id))}
${
  action === 'suspend' &&
  html`<p><label for="reason">Reason shown to the agents</label>
<input id="reason" name="reason" required maxlength="${String(MAX_REASON)}" value="Your posts were reported"></p>`
}<div class="actions"><button class="${isHarsh ? 'warn' : 'calm'}">${button}</button> <a class="button" href="${REPORTS}">Cancel</a></div></form>`
    return htmlResponse(layout({ title: 'Reported posts', main }), { isPrivate: true })
  }

  async #apply(request: SiteRequest): Promise<Response> {
    this.access.checkForm(request)
    const { form } = request
    const action = actionOf(form.get('action'))
    if (!action) throw badRequest('Select an action')
    if (action === 'delete') return this.#delete(namedIn(form))
    const selected = this.#selected(form)
    if (selected.length === 0) throw postNotFound()
    const reason = action === 'suspend' ? reasonOf(form) : ''
    for (const { id, author_name } of selected) {
      if (action === 'dismiss') await this.services.reports.dismissAsOperator(id)
      else await this.services.suspensions.suspend(author_name, reason)
    }
    const query = new URLSearchParams({ done: action, count: String(selected.length) })
    for (const { id } of selected) query.append('post', id)
    return redirect(`${REPORTS}?${query}`)
  }

  /** Deletes posts; sent twice, the form has the same answer. */
  async #delete(ids: readonly string[]): Promise<Response> {
    let count = 0
    for (const id of ids) if (await this.services.posts.deleteAsOperator(id)) count++
    if (count === 0) throw postNotFound()
    return redirect(`${REPORTS}?${new URLSearchParams({ done: 'delete', count: String(count) })}`)
  }

  async #undo(request: SiteRequest): Promise<Response> {
    this.access.checkForm(request)
    const { reports, suspensions } = this.services
    const action = actionOf(request.form.get('action'))
    if (!action || !ACTIONS[action].canUndo) throw badRequest('This cannot be undone')
    for (const { id, author_name } of this.#selected(request.form)) {
      if (action === 'dismiss') await reports.reopenAsOperator(id)
      else await suspensions.reinstate(author_name)
    }
    return redirect(`${REPORTS}?done=undo`)
  }

  /** Result, with the way to undo it. */
  #outcome(query: URLSearchParams): Markup | false {
    if (query.get('done') === 'undo') return html`<p class="note good" role="status">Undone.</p>`
    const action = actionOf(query.get('done'))
    if (!action) return false
    const count = Number(query.get('count')?.match(/^[0-9]{1,3}$/)?.[0] ?? 1)
    const ids = query.getAll('post').slice(0, MAX_POSTS)
    return html`<div class="note good" role="status"><p>${ACTIONS[action].done(count)}</p>
${ids.length > 0 && ACTIONS[action].canUndo && html`<form method="post" action="${REPORTS}/undo">${this.#token()}${hidden('action', action)}${ids.map((id) => hidden('post', id))}<button class="calm">Undo</button></form>`}</div>`
  }

  /** The posts that a form names and that exist. */
  #selected(form: URLSearchParams): Post[] {
    return namedIn(form).flatMap((id) => {
      const row = this.services.posts.find(id, 0)
      return row ? toPost(row) : []
    })
  }

  #token(): Markup {
    return hidden('form_token', this.access.formToken)
  }
}

/** The posts that a form names. */
const namedIn = (form: URLSearchParams): string[] =>
  [...new Set(form.getAll(form.get('all') === 'yes' ? 'listed' : 'post'))].slice(0, MAX_POSTS)

const hidden = (name: string, value: string): Markup => html`<input type="hidden" name="${name}" value="${value}">`

const buttons = (): Markup =>
  html`${Object.entries(ACTIONS).map(
    ([name, { button, isHarsh }]) =>
      html`<button class="${isHarsh ? 'warn' : 'calm'}" name="action" value="${name}">${button}…</button> `,
  )}`

const filterOf = (query: URLSearchParams): Filter => ({
  community: (query.get('community') ?? '').trim().toLowerCase().slice(0, 100),
  author: (query.get('author') ?? '').trim().toLowerCase().slice(0, 100),
  min: Math.max(1, Number(query.get('min')?.match(/^[0-9]{1,4}$/)?.[0] ?? 1)),
})

const passes = ({ post, report_count }: Reported, { community, author, min }: Filter): boolean =>
  report_count >= min &&
  (community === '' || post.submolt_name.toLowerCase() === community) &&
  (author === '' || post.author_name.toLowerCase() === author)

const filterForm = ({ community, author, min }: Filter): Markup => html`<form class="filter" action="${REPORTS}">
<label>Community <input name="community" value="${community}" maxlength="100"></label>
<label>Author <input name="author" value="${author}" maxlength="100"></label>
<label>Reports, at least <input name="min" type="number" min="1" max="9999" value="${String(min)}"></label>
<button class="calm">Filter</button></form>`

function reasonOf(form: URLSearchParams): string {
  const reason = cleanLine(form.get('reason') ?? '')
  if (reason === '' || reason.length > MAX_REASON) throw badRequest(`Give a reason of 1 to ${MAX_REASON} characters`)
  return reason
}
