import type { SignInForm } from '../control/sign-in.ts'
import type { PageCall, PageContent } from './page-call.ts'

export function signInPage(call: PageCall, { to, isWrong }: SignInForm): PageContent {
  return {
    title: 'Sign in',
    status: 401,
    content: (
      <div class="narrow">
        <h1>Sign in</h1>
        <p>
          This mock was started with <code>--token</code>. Give that token once, and this browser remembers it
          until it is closed.
        </p>
        <form method="post" action={call.at('/sign-in')} class="stack">
          <input type="hidden" name="to" value={to} />
          <label for="token">Token</label>
          <input
            id="token"
            name="token"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            aria-invalid={isWrong ? 'true' : undefined}
            aria-describedby={isWrong ? 'wrong' : undefined}
          />
          {isWrong && (
            <p id="wrong" class="answer refused" role="alert">
              That is not the token of this mock.
            </p>
          )}
          <button type="submit" class="main">
            Sign in
          </button>
        </form>
      </div>
    ),
  }
}
