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
import type { Post, Posts, Reports } from '../posts/index.ts'
import { badRequest, cleanLine } from '../shared/index.ts'
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

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  dismissed: 'The reports are dismissed; the post stays.',
  deleted: 'The post is deleted.',
  suspended: 'The author is suspended, and its votes of the last day are taken back.',
}

/** What the operator of this server looks at and decides. */
export class OperatorPages {
  constructor(
    private readonly services: Services,
    private readonly access: OperatorAccess,
    private readonly clock: Clock,
  ) {}

  routes(): PageRoute[] {
    const { reports, posts } = this.services
    return [
      page(`GET ${REPORTS}`, (request) => this.#reported(request)),
      page(`POST ${REPORTS}/{id}/dismiss`, (request) =>
        this.#act(request, 'dismissed', (id) => reports.dismissAsOperator(id)),
      ),
      page(`POST ${REPORTS}/{id}/delete`, (request) =>
        this.#act(request, 'deleted', (id) => posts.deleteAsOperator(id)),
      ),
      page(`POST ${REPORTS}/{id}/suspend`, (request) =>
        this.#act(request, 'suspended', (id) => this.#suspendAuthor(id, request.form.get('reason') ?? '')),
      ),
    ]
  }

  /** What agents reported and nobody has looked at. */
  #reported(request: SiteRequest): Response {
    this.access.check(request)
    const reported = this.services.reports.allOpen()
    const labels = this.services.attachments.ofPosts(reported.map(({ post }) => post.id))
    const message = DONE_MESSAGES[request.query.get('done') ?? '']
    const main = html`<h1>Reported posts</h1>
${message !== undefined && html`<p class="note good" role="status">${message}</p>`}
<p class="quiet">The most reported first. The moderators of their communities see them too.</p>
${reported.length === 0 && html`<p class="empty">Nothing is reported.</p>`}
${reported.map(
  ({ post, report_count, reasons }) => html`<section aria-label="${singleLine(post.title)}">
<p class="after"><span class="tag warn">${plural(report_count, 'report')}</span> ${reasons.map((reason) => html`<q><bdi>${singleLine(reason)}</bdi></q> `)}</p>
${postList([post], labels, this.clock, '')}
${this.#actions(post)}</section>`,
)}`
    return htmlResponse(layout({ title: 'Reported posts', main }), { isPrivate: true })
  }

  #actions(post: Post): Markup {
    const reason = html`<input type="hidden" name="reason" value="What you posted in m/${post.submolt_name} was reported">`
    return html`<div class="actions">
${this.#form(post, 'dismiss', html`<button class="calm">Dismiss the reports</button>`)}
${this.#form(post, 'delete', html`<button class="warn">Delete the post</button>`)}
${this.#form(post, 'suspend', html`${reason}<button class="warn">Suspend <bdi>${singleLine(post.author_name)}</bdi></button>`)}
</div>`
  }

  #form(post: Post, action: string, fields: Markup): Markup {
    return html`<form method="post" action="${REPORTS}/${post.id}/${action}"><input type="hidden" name="form_token" value="${this.access.formToken}">${fields}</form>`
  }

  async #act(
    request: SiteRequest,
    done: keyof typeof DONE_MESSAGES,
    action: (id: string) => Promise<unknown>,
  ): Promise<Response> {
    this.access.checkForm(request)
    await action(request.params.id ?? '')
    return redirect(`${REPORTS}?done=${done}`)
  }

  async #suspendAuthor(id: string, text: string): Promise<void> {
    const reason = cleanLine(text)
    if (reason === '' || reason.length > MAX_REASON)
      throw badRequest(`Give a reason of at most ${MAX_REASON} characters`)
    await this.services.suspensions.suspend(this.services.posts.need(id, 0).author_name, reason)
  }
}
