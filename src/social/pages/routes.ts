import type { Clock } from '../../core/clock.ts'
import { Lists } from './lists.ts'
import { PostPages } from './post.ts'
import type { Reads } from './reads.ts'
import { icon, STYLE_PATH, styleSheet } from './style.ts'
import { type PageRoute, page } from './visit.ts'

/** The pages everybody may look at. */
export function pageRoutes(reads: Reads, clock: Clock): PageRoute[] {
  const lists = new Lists(reads, clock)
  const posts = new PostPages(reads, clock)
  return [
    page('GET /', (visit) => lists.front(visit)),
    page('GET /m', (visit) => lists.submolts(visit)),
    page('GET /m/{name}', (visit) => lists.submolt(visit)),
    page('GET /u/{name}', (visit) => lists.agent(visit)),
    page('GET /p/{id}', (visit) => posts.show(visit)),
    page('GET /find', (visit) => lists.find(visit)),
    page(`GET ${STYLE_PATH}`, styleSheet),
    page('GET /icon.svg', icon),
  ]
}
