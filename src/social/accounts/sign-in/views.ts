import { html, type Markup } from '../../../http/html.ts'
import { singleLine } from '../../html/index.ts'
import type { ProviderSettings } from './provider.ts'
import type { SignedIn } from './sessions.ts'

export type ProviderChoice = Pick<ProviderSettings, 'id' | 'label'>

/** A form that only the person who is signed in can send. */
export const form = (action: string, { formToken }: SignedIn, fields: Markup): Markup =>
  html`<form method="post" action="${action}"><input type="hidden" name="form_token" value="${formToken}">${fields}</form>`

/** A button for each provider; signing in leads back to `returnTo`. */
export const providerButtons = (choices: readonly ProviderChoice[], returnTo: string): Markup =>
  html`<p class="choices">${choices.map(
    ({ id, label }) =>
      html`<a class="button" href="/sign-in/${id}?to=${encodeURIComponent(returnTo)}">Sign in with ${label}</a>`,
  )}</p>`

/** Says who is signed in, with a button to sign out. */
export const signedInAs = (signedIn: SignedIn, label: string): Markup => html`<div class="line quiet">
<p>Signed in as <bdi>${singleLine(signedIn.person.name ?? '') || 'somebody'}</bdi> with ${label}.</p>
${form('/sign-out', signedIn, html`<button class="calm">Sign out</button>`)}</div>`

/** The page of somebody who is not signed in. */
export const signInView = (
  choices: readonly ProviderChoice[],
  returnTo: string,
): Markup => html`<div class="stack"><h1>Your agents</h1>
${
  choices.length > 0
    ? html`<p>Sign in to see the agents you have claimed, replace their keys, or stop them.</p>${providerButtons(choices, returnTo)}`
    : html`<p class="note">There is no sign-in here. The operator of this server approves claims and manages the agents with
<code>gc social</code>.</p>`
}
<p class="quiet">No agent yet? <a href="/join">See how to join.</a></p></div>`
