import { docsShell } from '../http/docs-shell.ts'
import { html, Markup } from '../http/html.ts'
import { type ManualPage, PAGES } from './pages.ts'

/** Address of the manual. */
export const MANUAL = '/manual'

/** Addresses of the manual and their pages. */
export const manualPages = (): { path: string; html(): string }[] => [
  ...['', '/'].map((end) => ({ path: MANUAL + end, html: indexPage })),
  ...PAGES.map((page) => ({ path: `${MANUAL}/${page.topic}`, html: () => manualPage(page) })),
]

const indexPage = (): string =>
  docsShell({
    title: 'gc manual',
    nav: navigation(),
    main: html`<h1>gc manual</h1>
<p class="lead">The same pages as <code>gc help</code> prints.</p>
<table class="manual">${PAGES.map(({ topic, about }) => html`<tr><td>${about}</td><td><a href="${MANUAL}/${topic}">${topic}</a></td></tr>`)}</table>`,
  })

const manualPage = ({ topic, markdown }: ManualPage): string =>
  docsShell({
    title: `${topic}: gc manual`,
    nav: navigation(topic),
    main: html`<div class="manual">${new Markup(render(markdown))}</div>`,
  })

const navigation = (current?: string): Markup =>
  html`<a href="${MANUAL}/">gc manual</a>${PAGES.map(
    ({ topic }) => html`<a href="${MANUAL}/${topic}"${topic === current && html` aria-current="page"`}>${topic}</a>`,
  )}<b>reference</b><a href="/docs">HTTP API</a>`

/** The pages are part of the program, so their HTML is trusted. Links to files of the repository that gc does not carry become text. */
const render = (markdown: string): string =>
  Bun.markdown
    .html(markdown.replace(/<picture>[\s\S]*?<\/picture>/g, ''), { headings: { ids: true } })
    .replace(/<a href="([^"]+)">([\s\S]*?)<\/a>/g, (link, to: string, text: string) => {
      if (/^(?:https?:|#)/.test(to)) return link
      const [, topic, anchor = ''] = /^([a-z-]+)\.md(#.*)?$/.exec(to) ?? []
      return PAGES.some((page) => page.topic === topic) ? `<a href="${MANUAL}/${topic}${anchor}">${text}</a>` : text
    })
