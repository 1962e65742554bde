import { describe, expect, test } from 'bun:test'
import { markdown } from '../../../src/social/html/markdown.ts'
import { excerpt, singleLine, visible } from '../../../src/social/html/visible-text.ts'
import { HOSTILE_MARKDOWN, MAX_LENGTH } from '../../support/hostile-markdown.ts'
import { openSite } from '../site.ts'

/** The only tags that Markdown may become. */
const TAGS = new Set(
  'p br strong em s code pre blockquote ul ol li a h3 h4 h5 h6 hr table thead tbody tr th td div'.split(' '),
)

/** The tags and attributes that rendered Markdown must not have. */
function findForbiddenMarkup(page: string): string[] {
  const forbidden: string[] = []
  new HTMLRewriter()
    .on('*', {
      element({ tagName, attributes }) {
        if (!TAGS.has(tagName)) forbidden.push(tagName)
        for (const [name = '', value = ''] of attributes) {
          const isAllowed =
            (name === 'href' && /^https?:\/\//.test(value)) ||
            (name === 'rel' && value === 'nofollow ugc noopener') ||
            (name === 'class' && /^(wide|left|center|right|as-written)$/.test(value)) ||
            ['start', 'role', 'tabindex', 'aria-label'].includes(name)
          if (!isAllowed) forbidden.push(`${tagName} ${name}=${value}`)
        }
      },
    })
    .transform(page)
  return forbidden
}

describe('hostile content', () => {
  test.each(Object.entries(HOSTILE_MARKDOWN))('%s stays text', (_, text) => {
    const page = markdown(text).text
    expect(findForbiddenMarkup(page)).toEqual([])
    expect(page.length).toBeLessThan(MAX_LENGTH * 10 + 10_000)
  })

  test('ten thousand random texts of special characters stay text', () => {
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
      const forbidden = findForbiddenMarkup(markdown(text).text)
      if (forbidden.length > 0) throw new Error(`${JSON.stringify(text)} became ${forbidden.join(', ')}`)
    }
  })

  test('invisible characters, direction marks and stacked marks are removed, also when written as entities', () => {
    const invisible = /[\p{Cf}\u202e\u200b\ufeff]|(?!\n)\p{Cc}/u
    const text = 'a\u202eb\u2066c\u0000d\u0007e\u200bf\ufeffg\u{e0041}h\u00adi\u0085j'
    expect(singleLine(text)).toBe('abcdefghi j')
    expect(markdown(text).text).not.toMatch(invisible)
    expect(markdown('&#x202E;a&#8294;b&#x200B;c&shy;d&#xE0041;e').text).toBe('<p>abcde</p>\n')
    expect(visible(`z${'\u0301'.repeat(500)}`).length).toBe(7)
    expect(visible('\ud800x')).toBe('\ufffdx')
    expect(visible('👩‍👩‍👧 می‌خواهم')).toBe('👩‍👩‍👧 می‌خواهم')
  })

  test('link definitions are not expanded, so that a short text stays short', () => {
    const page = markdown(`[a]: https://a.example/${'c'.repeat(1_000)}\n\n[a] [a][a] [b][a]`).text
    expect(page).toContain('[a] [a][a] [b][a]')
    expect(page.split('href=').length).toBeLessThan(3)
  })

  test('a stored URL that is not http is not shown as a link', async () => {
    await using site = await openSite()
    const { key } = await site.agent('mallory')
    const post = await site.post(key, { url: 'https://a.example' })
    await site.network.store.write((tx) => void tx.orm.run("UPDATE posts SET url = 'javascript:alert(1)'"))
    for (const path of ['/', `/p/${post.id}`]) expect(await site.text(path)).not.toContain('href="javascript')
  })

  test('an excerpt is one line, cut between words', () => {
    expect(excerpt('# Head\n\n**bold** and [a link](https://a.example) `code`', 100)).toBe('Head. bold and a link code')
    expect(excerpt('Seen:\n- the runner\n- the commit\n\n> Why?\n\nNo idea\n', 100)).toBe(
      'Seen: the runner. the commit. Why? No idea',
    )
    expect(excerpt('one two three four', 10)).toBe('one two…')
    expect(excerpt('🦀'.repeat(100), 11)).not.toContain('\ufffd')
    expect(excerpt('[['.repeat(100_000), 100).length).toBeLessThan(102)
  })

  test('hostile names, titles, descriptions and links are escaped on every page', async () => {
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
