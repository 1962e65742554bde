import { describe, expect, test } from 'bun:test'
import { markdown } from '../../src/social/pages/markdown.ts'
import { excerpt, singleLine, visible } from '../../src/social/pages/visible-text.ts'
import { openSite } from './site.ts'

/** The tags a text of an agent may become, and nothing else. */
const TAGS = new Set(
  'p br strong em s code pre blockquote ul ol li a h3 h4 h5 h6 hr table thead tbody tr th td div'.split(' '),
)

/** What is wrong with laid out text: tags and attributes that have no business there. */
function strange(page: string): string[] {
  const wrong: string[] = []
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        if (!TAGS.has(tagName)) wrong.push(tagName)
        for (const [name = '', value = ''] of attributes) {
          const fine =
            (name === 'href' && /^https?:\/\//.test(value)) ||
            (name === 'rel' && value === 'nofollow ugc noopener') ||
            (name === 'class' && /^(wide|left|center|right|as-written)$/.test(value)) ||
            ['start', 'role', 'tabindex', 'aria-label'].includes(name)
          if (!fine) wrong.push(`${tagName} ${name}=${value}`)
        }
      },
    })
    .transform(page)
  return wrong
}

const N = 40_000
const HOSTILE: Record<string, string> = {
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
  quotes: '>'.repeat(N),
  lists: '- '.repeat(N / 2),
  brackets: '['.repeat(N),
  links: '[a]('.repeat(N / 4),
  emphasis: '*a **a '.repeat(N / 7),
  ticks: Array.from({ length: 280 }, (_, n) => '`'.repeat(n)).join(' '),
  'wide table': `${'|a'.repeat(5_000)}|\n${'|-'.repeat(5_000)}|\n${'|\n'.repeat(5_000)}`,
  'narrow table': `${'|a'.repeat(90)}|\n${'|-'.repeat(90)}|\n${'|\n'.repeat(1_700)}`,
  addresses: 'http://a.b/('.repeat(N / 12),
  'nested list': Array.from({ length: 200 }, (_, n) => `${' '.repeat(n * 2)}- a`).join('\n'),
  'reference bomb': `[a]: http://b/${'c'.repeat(2_000)}\n\n${'[a]'.repeat(12_000)}`,
  entities: '&lt;script&gt;&#60;script&#62;&quot;'.repeat(1_000),
}

describe('what agents write is hostile', () => {
  test.each(Object.entries(HOSTILE))('%s stays text', (_, text) => {
    const before = performance.now()
    const page = markdown(text.slice(0, N)).text
    expect(strange(page)).toEqual([])
    expect(page.length).toBeLessThan(N * 10 + 10_000)
    expect(performance.now() - before).toBeLessThan(1_000)
  })

  test('ten thousand random heaps of signs stay text', () => {
    const pieces = [
      '<',
      '>',
      '"',
      "'",
      '&',
      '[',
      ']',
      '(',
      ')',
      '!',
      '*',
      '_',
      '`',
      '#',
      '|',
      '-',
      '\n',
      ' ',
      'a',
      '\\',
      ':',
    ]
    pieces.push(
      '<script>',
      'javascript:',
      'https://a.example',
      '```',
      '&#x3c;',
      '&lt;',
      'onload=',
      '<!--',
      '-->',
      '\u202e',
      '\u0000',
    )
    let seed = 7
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed
    }
    for (let n = 0; n < 10_000; n++) {
      const text = Array.from({ length: 1 + (next() % 25) }, () => pieces[next() % pieces.length]).join('')
      const wrong = strange(markdown(text).text)
      if (wrong.length > 0) throw new Error(`${JSON.stringify(text)} became ${wrong.join(', ')}`)
    }
  })

  test('nothing hides, turns around or piles up, written as it is or as an entity', () => {
    const invisible = /[\p{Cf}\u202e\u200b\ufeff]|(?!\n)\p{Cc}/u
    const text = 'a\u202eb\u2066c\u0000d\u0007e\u200bf\ufeffg\u{e0041}h\u00adi\u0085j'
    expect(singleLine(text)).toBe('abcdefghi j')
    expect(markdown(text).text).not.toMatch(invisible)
    expect(markdown('&#x202E;a&#8294;b&#x200B;c&shy;d&#xE0041;e').text).toBe('<p>abcde</p>\n')
    expect(visible(`z${'\u0301'.repeat(500)}`).length).toBe(7)
    expect(visible('\ud800x')).toBe('\ufffdx')
    expect(visible('👩‍👩‍👧 می‌خواهم')).toBe('👩‍👩‍👧 می‌خواهم')
  })

  test('a definition stands for nothing: a few letters are no long text', () => {
    const page = markdown(`[a]: https://a.example/${'c'.repeat(1_000)}\n\n[a] [a][a] [b][a]`).text
    expect(page).toContain('[a] [a][a] [b][a]')
    expect(page.split('href=').length).toBeLessThan(3)
  })

  test('a link that is none, however it came to be kept, leads nowhere', async () => {
    await using site = await openSite()
    const { key } = await site.agent('mallory')
    const post = await site.post(key, { url: 'https://a.example' })
    await site.network.store.write((tx) => void tx.orm.run("UPDATE posts SET url = 'javascript:alert(1)'"))
    for (const path of ['/', `/p/${post.id}`]) expect(await site.text(path)).not.toContain('href="javascript')
  })

  test('an excerpt is one line of words, cut between them', () => {
    expect(excerpt('# Head\n\n**bold** and [a link](https://a.example) `code`', 100)).toBe('Head bold and a link code')
    expect(excerpt('one two three four', 10)).toBe('one two…')
    expect(excerpt('🦀'.repeat(100), 11)).not.toContain('\ufffd')
    expect(excerpt('[['.repeat(100_000), 100).length).toBeLessThan(102)
  })

  test('hostile names, titles, descriptions and links come out as words on every page', async () => {
    await using site = await openSite()
    const bad = '"><script>alert(1)</script><b onmouseover=alert(1)>\u202e'
    const { key } = await site.agent('mallory', bad)
    await site.api('PATCH', '/agents/me', key, { display_name: '"><script>x</script>\u202e' })
    await site.api('POST', '/submolts', key, { name: 'evil', display_name: '<img src=x onerror=1>', description: bad })
    const post = await site.post(key, { submolt: 'evil', title: bad, content: `${bad}\n\n[x](javascript:alert(1))` })
    const link = await site.post(key, { submolt: 'evil', title: 'a link', url: 'https://a.example/"><script>' })
    await site.comment(key, post.id, bad)
    const pages = [
      '/',
      '/m',
      '/m/evil',
      '/u/mallory',
      `/p/${post.id}`,
      `/p/${link.id}`,
      '/find?q=script',
      '/find?q=mallory',
    ]
    for (const path of pages) {
      const page = await site.text(path)
      expect(page).not.toMatch(/<script|<b |<img|javascript:alert\(1\)"|\u202e/)
      if (path !== `/p/${link.id}`) expect(page).toContain('&lt;')
    }
    expect(await site.text(`/p/${link.id}`)).toContain('rel="nofollow ugc noopener">a.example')
  })
})
