import { effect, signal, untracked } from '@preact/signals';
import { replace, route } from './router';

/**
 * What an address of signing in has brought: the token of a link, `#/sign-in/<token>`, or why single sign-on failed,
 * `#/sign-in/problem/<code>`. It leaves the address at once, and is kept by this window alone.
 */
export const entry = signal<{ token: string } | { problem: string } | null>(null);

// Also when the link is opened in a tab that shows the dashboard already.
effect(() => {
  const [first, second, code] = route.value.path;
  if (first !== 'sign-in' || second === undefined) return;
  entry.value = second === 'problem' ? { problem: code ?? '' } : { token: second };
  untracked(() => replace('/sign-in'));
});
