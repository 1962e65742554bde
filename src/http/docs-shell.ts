import css from './docs-style.css' with { type: 'text' }
import { html, Markup } from './html.ts'

/** A page of documentation: links beside a text, no script, nothing loaded from elsewhere. */
export const docsShell = ({ title, nav, main }: { title: string; nav: Markup; main: Markup }): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Markup(css)}</style>
</head>
<body>
<nav>
${nav}
</nav>
<main id="top">
${main}
</main>
</body>
</html>
`.text

/** Headers of a page of documentation: another version of the program has other pages. */
export const DOCS_HEADERS = {
  'cache-control': 'no-cache',
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
