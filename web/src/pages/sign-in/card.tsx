import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { post } from '../../api/client';
import { at } from '../../api/home';
import type { SignedIn, SignInMethods } from '../../api/types';
import { Button } from '../../components/layout';
import { entry } from '../../state/entry';
import { begin } from '../../state/session';
import { runAction } from '../../state/toast';

/** A page in front of the dashboard. The first empty field receives the focus, or else the title. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const fields = [...(box.current?.querySelectorAll('input') ?? [])];
    const first = fields.find(({ readOnly, value }) => !readOnly && value === '') ?? box.current?.querySelector('h1');
    first?.focus();
  }, [title]);
  return (
    <main class="sign-in" ref={box}>
      <p class="brand">
        <img src={at('/favicon.svg')} width="32" height="32" alt="" />
        Uptime
      </p>
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </main>
  );
}

/** Shows the dashboard to a user who has just signed in, and discards the link that was opened. */
export function enter(next: SignedIn): void {
  begin(next);
  entry.value = null;
}

/** Returns to the dashboard. */
export function stay(): void {
  entry.value = null;
}

/**
 * Starts single sign-on. With the token for an invitation or for the first account, the user also joins the
 * organization.
 */
export function SingleSignOn({ of, isFirst, token }: { of: SignInMethods; isFirst: boolean; token?: string }) {
  if (!of.single_sign_on) return null;
  const leave = async () => {
    const { location: there } = await post<{ location: string }>('/auth/oidc', token === undefined ? {} : { token });
    location.assign(there);
  };
  return (
    <>
      {!isFirst && <p class="or">or</p>}
      <div class="actions">
        <Button class={isFirst ? 'primary' : 'single'} onClick={() => runAction(leave)}>
          Continue with {of.single_sign_on.name}
        </Button>
      </div>
    </>
  );
}
