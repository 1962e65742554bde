/** A page as a browser without scripts holds it. */
export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** As much of a browser as signing in takes: it keeps cookies for each host, follows redirects and sends forms. */
export class Browser {
  readonly #jar = new Map<string, Map<string, string>>()
  /** Every address it was sent to, in order. */
  readonly trail: string[] = []

  /** Opens an address; goes where it is sent, but not to what `until` holds for. */
  async open(url: string, until: (url: URL) => boolean = () => false, init: RequestInit = {}): Promise<Page> {
    let at = new URL(url)
    let sent: RequestInit = init
    for (let hops = 0; hops < 20; hops++) {
      this.trail.push(at.href)
      const headers = new Headers(sent.headers)
      headers.set('accept', 'text/html')
      headers.set('cookie', this.#cookiesOf(at))
      const response = await fetch(at, { ...sent, headers, redirect: 'manual' })
      this.#keep(at, response.headers.getSetCookie())
      const location = response.headers.get('location')
      const next = location === null ? undefined : new URL(location, at)
      if (!next || until(next)) {
        return {
          url: (next ?? at).href,
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }
      }
      at = next
      sent = {}
    }
    throw new Error('it was sent around in a circle')
  }

  /** Sends the form of a page that leads to `action`, its hidden fields with it. */
  send(
    page: Page,
    action: string | RegExp,
    fields: Record<string, string> = {},
    until?: (url: URL) => boolean,
  ): Promise<Page> {
    const form = formsOf(page.text).find((one) =>
      typeof action === 'string' ? one.action === action : action.test(one.action),
    )
    if (!form) throw new Error(`there is no form to ${action} on ${page.url}:\n${page.text}`)
    const to = new URL(form.action, page.url)
    const body = new URLSearchParams({ ...form.fields, ...fields })
    const headers = { origin: new URL(page.url).origin, 'content-type': 'application/x-www-form-urlencoded' }
    return this.open(to.href, until, { method: 'POST', body: body.toString(), headers })
  }

  cookie(url: string, name: string): string | undefined {
    return this.#jar.get(new URL(url).host)?.get(name)
  }

  setCookie(url: string, name: string, value: string): void {
    this.#keep(new URL(url), [`${name}=${value}`])
  }

  #cookiesOf({ host }: URL): string {
    return [...(this.#jar.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #keep({ host }: URL, cookies: readonly string[]): void {
    const jar = this.#jar.get(host) ?? new Map<string, string>()
    this.#jar.set(host, jar)
    for (const cookie of cookies) {
      const [pair = '', ...rules] = cookie.split(';').map((part) => part.trim())
      const cut = pair.indexOf('=')
      const name = pair.slice(0, cut)
      const ended = rules.some((rule) => /^max-age=0$/i.test(rule) || /^expires=Thu, 01 Jan 1970/i.test(rule))
      if (ended) jar.delete(name)
      else jar.set(name, pair.slice(cut + 1))
    }
  }
}

const plain = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : plain(value)
}

/** The forms of a page with the values they come with. */
export function formsOf(page: string): { action: string; fields: Record<string, string> }[] {
  return [...page.matchAll(/<form([^>]*)>([\s\S]*?)<\/form>/g)].map(([, head = '', inside = '']) => ({
    action: attribute(head, 'action') ?? '',
    fields: Object.fromEntries(
      [...inside.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
        attribute(tag, 'name') ?? '',
        attribute(tag, 'value') ?? '',
      ]),
    ),
  }))
}
