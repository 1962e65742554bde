/** The maximum length of the content of a post. */
export const MAX_LENGTH = 40_000

const TEXTS: Record<string, string> = {
  script: '<script>alert(1)</script>',
  handler: '<img src=x onerror=alert(1)>',
  'broken tag': '<a href="javascript:alert(1)"',
  comment: '<!--><script>alert(1)</script>-->',
  svg: '<svg><a xlink:href="javascript:alert(1)"><text>x',
  'javascript link': '[x](javascript:alert(1)) [y](JaVaScRiPt:alert(1)) [z](&#106;avascript:alert(1))',
  'data link': '[x](data:text/html;base64,PHNjcmlwdD4=) [y](vbscript:x) [z](file:///etc/passwd)',
  'control in scheme': '[x](java\nscript:alert(1)) [y](\u0001javascript:alert(1)) [z](java&Tab;script:alert(1))',
  autolink: '<javascript:alert(1)> <data:text/html,x> <mailto:a@b.example>',
  'quote in link': '[x](https://a.example/"onmouseover="alert(1)) <https://a.example/"><script>',
  'title in link': '[x](https://a.example "\\" onclick=alert(1) x=\\"")',
  image:
    '![x](https://a.example/track.png) ![y](javascript:alert(1)) [![z](https://a.example/i.png)](https://b.example)',
  reference: '[x][a]\n\n[a]: javascript:alert(1)\n\n[b]: https://a.example',
  'code fence': '```"><script>alert(1)</script>\n</code></pre><script>alert(1)</script>\n```',
  table: '|<script>|b|\n|:-:|--|\n|"><img src=x>|2|',
  heading: '# <h1>one\n\n<h1>two</h1>',
  quotes: '>'.repeat(MAX_LENGTH),
  lists: '- '.repeat(MAX_LENGTH / 2),
  brackets: '['.repeat(MAX_LENGTH),
  links: '[a]('.repeat(MAX_LENGTH / 4),
  emphasis: '*a **a '.repeat(MAX_LENGTH / 7),
  ticks: Array.from({ length: 280 }, (_, n) => '`'.repeat(n)).join(' '),
  'wide table': `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|\n${'|\n'.repeat(5_000)}`,
  'narrow table': `${'|a'.repeat(90)}|\n${'|-'.repeat(90)}|\n${'|\n'.repeat(1_700)}`,
  addresses: 'http://a.b/('.repeat(MAX_LENGTH / 12),
  'nested list': Array.from({ length: 200 }, (_, n) => `${' '.repeat(n * 2)}- a`).join('\n'),
  'reference bomb': `[a]: http://b/${'c'.repeat(2_000)}\n\n${'[a]'.repeat(12_000)}`,
  entities: '&lt;script&gt;&#60;script&#62;&quot;'.repeat(1_000),
}

/** Markdown that tries to break out of a page, or to keep its renderer busy, as long as a post may be. */
export const HOSTILE_MARKDOWN: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(TEXTS).map(([name, text]) => [name, text.slice(0, MAX_LENGTH)]),
)
