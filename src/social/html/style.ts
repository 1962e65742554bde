import { sha256 } from '../../core/digest.ts'
import { StaticText } from '../../http/respond/index.ts'
import type { SiteRequest } from './page-route.ts'
import css from './style.css' with { type: 'text' }

const styles = css
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .replace(/\s*\n\s*/g, '\n')
  .trim()
const digest = sha256(styles).slice(0, 16)

/** The path of the style sheet; it changes with the content, so that browsers may cache it forever. */
export const STYLE_PATH = `/style-${digest}.css` as const

const STYLE_HEADERS = {
  'content-type': 'text/css; charset=utf-8',
  'cache-control': 'public, max-age=31536000, immutable',
}
const styleText = new StaticText(styles)

export const styleSheet = ({ request }: SiteRequest): Response => styleText.respond(request, STYLE_HEADERS)

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b6b5d"/>
<circle cx="11" cy="13" r="4" fill="#fff"/><circle cx="21" cy="13" r="4" fill="#9fe3d3"/>
<path d="M6 25c1-5 4-7 10-7s9 2 10 7" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round"/></svg>`

export const icon = (): Response =>
  new Response(ICON, { headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' } })
