import { htmlResponse, layout, type PageRoute, page, type SiteRequest } from '../../html/index.ts'
import { returnPath, type SignIn } from './sign-in.ts'
import { signInView } from './views.ts'

/** The pages on which people sign in and out. */
export const signInRoutes = (signIn: SignIn): PageRoute[] => [
  page('GET /sign-in', (request) => signInPage(signIn, request)),
  page('GET /sign-in/{provider}', (request) => signIn.begin(request)),
  page('GET /sign-in/{provider}/return', (request) => signIn.complete(request)),
  page('POST /sign-out', (request) => signIn.signOut(request)),
]

export function signInPage(signIn: SignIn, request: SiteRequest): Response {
  const main = signInView(signIn.choices, returnPath(request.query.get('to')))
  return htmlResponse(layout({ title: 'Sign in', currentPage: 'me', main }), { isPrivate: true })
}
