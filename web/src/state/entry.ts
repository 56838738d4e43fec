import { effect, signal, untracked } from '@preact/signals';
import { replace, route } from './router';

/**
 * The content of a sign-in URL: a link's token (`#/sign-in/<token>`), or the reason why single sign-on failed
 * (`#/sign-in/problem/<code>`). It is removed from the URL immediately, and kept only in this window.
 */
export const entry = signal<{ token: string } | { problem: string } | null>(null);

// Also runs if the link is opened in a tab that already shows the dashboard.
effect(() => {
  const [first, second, code] = route.value.path;
  if (first !== 'sign-in' || second === undefined) return;
  entry.value = second === 'problem' ? { problem: code ?? '' } : { token: second };
  untracked(() => replace('/sign-in'));
});
