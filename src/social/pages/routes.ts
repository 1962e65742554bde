import type { Clock } from '../../core/clock.ts'
import { icon, type MarkdownRenderer, type PageRoute, page, STYLE_PATH, styleSheet } from '../html/index.ts'
import { Feeds } from './feeds.ts'
import { ListPages } from './list-pages.ts'
import { PostPages } from './post-page.ts'
import type { PageReader } from './reader.ts'
import { RepeatPages } from './repeat-pages.ts'

/** The public pages. */
export function pageRoutes(reads: PageReader, markdown: MarkdownRenderer, clock: Clock): PageRoute[] {
  const lists = new ListPages(reads, clock)
  const posts = new PostPages(reads, markdown, clock)
  const repeats = new RepeatPages(reads, clock)
  return [
    page('GET /', (request) => lists.front(request)),
    page('GET /m', (request) => lists.submolts(request)),
    page('GET /m/{name}', (request) => lists.submolt(request)),
    page('GET /u/{name}', (request) => lists.agent(request)),
    page('GET /p/{id}', (request) => posts.show(request)),
    page('GET /post/{id}', (request) => posts.redirect(request)),
    page('GET /c/{id}', (request) => posts.redirectToComment(request)),
    page('GET /p/{id}/repeats', (request) => repeats.posts(request)),
    page('GET /p/{id}/repeated-comments', (request) => repeats.comments(request)),
    ...new Feeds(reads, markdown).routes(),
    page('GET /find', (request) => lists.find(request)),
    page(`GET ${STYLE_PATH}`, styleSheet),
    page('GET /icon.svg', icon),
  ]
}
