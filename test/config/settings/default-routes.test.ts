import { expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

const AGENT =
  '[[agent]]\nname = "chief"\nstart_command = "true"\n[[named_session]]\nname = "mayor"\ntemplate = "chief"\n'
const route = (fields: string) => `[[extmsg.default_route]]\n${fields}\n`

function composed(files: Record<string, string>) {
  using city = cityFiles(files)
  const { config, errors, warnings } = compose(new FileSnapshot(city.path))
  return {
    routes: config.defaultRoutes,
    errors: errors.map(formatDiagnostic),
    warnings: warnings.map(formatDiagnostic),
  }
}

test('default routes of city.toml and its fragments are in effect, messengers in lower case', () => {
  const { routes, errors, warnings } = composed({
    'city.toml': `include = ["more.toml"]\n${AGENT}${route('provider = "Slack"\naccount_id = "T1"\nagent = "mayor"')}`,
    'more.toml': route('provider = "chat"\nagent = "mayor"'),
  })
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] })
  expect(routes).toEqual([
    { provider: 'slack', accountId: 'T1', agent: 'mayor' },
    { provider: 'chat', agent: 'mayor' },
  ])
})

test('a route that leads nowhere is warned of with its line, and the others are in effect', () => {
  const { routes, errors, warnings } = composed({
    'city.toml': `${AGENT}${route('provider = "chat"\nagent = "major"')}${route('provider = "chat"\nagent = "mayor"\nacount_id = "x"')}`,
  })
  expect(errors).toEqual([])
  expect(routes).toEqual([{ provider: 'chat', agent: 'mayor' }])
  expect(warnings).toHaveLength(2)
  expect(warnings.join('\n')).toMatch(/city\.toml:9: .*there is no \[\[named_session\]\] "major".*did you mean "?mayor/)
  expect(warnings.join('\n')).toMatch(/city\.toml:13: .*acount_id/)
})

test('a route without a messenger or an agent is an error with its line', () => {
  const { errors } = composed({ 'city.toml': `${AGENT}${route('agent = "mayor"')}${route('provider = "chat"')}` })
  expect(errors).toHaveLength(2)
  expect(errors[0]).toMatch(/city\.toml:7: .*provider/)
  expect(errors[1]).toMatch(/city\.toml:9: .*agent/)
})
