import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'
import type { RequestHandler } from '../../http/app.ts'
import { isLoopback } from '../../http/authority.ts'
import { methodsOf } from '../../http/paths.ts'
import type { FailedRequest } from '../../http/plane-options.ts'
import type { ResponseWriter } from '../../http/respond/index.ts'
import {
  IdentityProvider,
  identityPages,
  Owners,
  OwnershipPages,
  onboardingRoutes,
  PendingSignIns,
  type ProviderSettings,
  SignIn,
  SignInSessions,
  signaturePages,
  signInRoutes,
} from '../accounts/index.ts'
import { MarkdownRenderer, type PageRoute } from '../html/index.ts'
import type { RequestLimiters } from '../limits/index.ts'
import { ownerEmailPages } from '../messages/index.ts'
import { ClientAddresses, type Network, type PassedRequests } from '../network/index.ts'
import { baseUrlOf } from './base-url.ts'
import { OperatorAccess } from './operator-access.ts'
import { OperatorPages } from './operator-pages.ts'
import { pictureRoutes } from './picture-routes.ts'
import { PageReader } from './reader.ts'
import { pageRoutes } from './routes.ts'
import { createSite } from './site.ts'

export interface WebsiteOptions {
  readonly network: Network
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Host names of this server besides the loopback ones. */
  readonly hosts: readonly string[]
  /** The hash of the operator's token; without it no one is the operator. */
  readonly operator?: string | undefined
  /** Sign-in providers of people; without one the operator approves claims. */
  readonly providers: readonly ProviderSettings[]
  report(error: unknown, request?: FailedRequest): void
  /** Writes the responses, within memory that the network’s API shares. */
  readonly writer: ResponseWriter
  /** Counts the requests of each visitor. */
  readonly limiters: RequestLimiters
  /** Requests that readers passed on. */
  readonly passed: PassedRequests
}

/** The pages for people. */
export function createWebsite(options: WebsiteOptions): RequestHandler {
  return siteOf(options, (markdown) => [
    ...readPageRoutes(options.network, options.providers.length > 0, markdown, options.clock),
    ...otherRoutes(options),
  ])
}

/** The pages that only read, which a process beside the writer may answer. */
export interface ReadPages extends RequestHandler {
  /** True if a path leads to one of them. */
  has(path: string): boolean
}

export function createReadPages(
  options: Omit<WebsiteOptions, 'operator' | 'providers'> & { readonly hasProviders: boolean },
): ReadPages {
  let has: ReadPages['has'] = () => false
  const site = siteOf(options, (markdown) => {
    const routes = readPageRoutes(options.network, options.hasProviders, markdown, options.clock)
    const methods = methodsOf(routes)
    has = (path) => methods(path) !== undefined
    return routes
  })
  return { ...site, has: (path) => has(path) }
}

type SiteParts = Omit<WebsiteOptions, 'operator' | 'providers'>

function siteOf(options: SiteParts, routes: (markdown: MarkdownRenderer) => PageRoute[]): RequestHandler {
  const { network, clock, deadlines, hosts, report, writer, limiters, passed } = options
  const { baseUrl, proxied } = network.settings
  const addresses = new ClientAddresses(passed, proxied)
  const markdown = new MarkdownRenderer({ deadlines, report })
  const site = createSite({
    routes: routes(markdown),
    beginRead: () => network.store.beginRead(),
    writer,
    deadlines,
    baseUrlOf: (request) => baseUrlOf(request, { baseUrl, hosts }),
    onRequest: (request, server) => addresses.remember(request, request, server),
    visitorOf: (request) => addresses.groupOf(request),
    async checkLimit(request) {
      const isLocal = !proxied && isLoopback(addresses.addressOf(request))
      const limiter = isLocal ? limiters.localPages : limiters.pages
      const { exceeded, reset } = await limiter.take(addresses.groupOf(request))
      if (exceeded) throw tooManyRequests(Math.max(1, Math.ceil((reset - clock.now()) / 1000)))
    },
    report,
  })
  return {
    fetch: (request, server) => site.fetch(request, server),
    stop() {
      site.stop()
      markdown.stop()
    },
  }
}

/** The pages that write nothing. */
const readPageRoutes = (network: Network, hasProviders: boolean, markdown: MarkdownRenderer, clock: Clock) => [
  ...pageRoutes(new PageReader(network), markdown, clock),
  ...onboardingRoutes({ ...network.settings, hasProviders }),
  ...pictureRoutes(network),
]

/** The pages of owners and the operator, and those with which people claim and sign in. */
function otherRoutes({
  network,
  clock,
  deadlines,
  operator,
  providers: settings,
  report,
}: WebsiteOptions): PageRoute[] {
  const { store, agents, suspensions, keys, signingKeys, claims } = network
  const providers = settings.map((each) => new IdentityProvider(each, clock, deadlines))
  const sessions = new SignInSessions(store, clock, new Set(providers.map(({ key }) => key)))
  const signIn = new SignIn(providers, sessions, new PendingSignIns(clock), report)
  const owners = new Owners(store, agents, suspensions, keys, signingKeys, claims, network.reputations)
  return [
    ...new OperatorPages(network, new OperatorAccess(operator), clock).routes(),
    ...identityPages(network),
    ...signaturePages(network),
    ...ownerEmailPages(network),
    ...signInRoutes(signIn),
    ...new OwnershipPages({ signIn, claims, owners, clock }).routes(),
  ]
}

const tooManyRequests = (seconds: number): AppError =>
  new AppError('rate-limited', `too many requests; try again in ${seconds} seconds`, {
    headers: { 'retry-after': String(seconds) },
  })
