import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get } from '../../api/client';
import { at } from '../../api/home';
import type { SignedIn, SignInMethods } from '../../api/types';
import { lazy } from '../../components/lazy';
import { Button, Head } from '../../components/layout';
import { ANY_METHOD, firstWay, nameOf, problemOf, secureUrlFor, type Way } from '../../logic/sign-in';
import { entry } from '../../state/entry';
import { homeless, isOver, restoreSession, session, signOut, switchTo } from '../../state/session';
import { runAction } from '../../state/toast';
import { Card, enter, SingleSignOn, stay } from './card';
import { KeyForm, PasswordForm } from './forms';
import { TokenPage } from './token';

const Account = lazy(() => import('../settings/account').then((page) => page.Account));

/** The page in front of the dashboard: sign-in, a link's page, or the page for users without an organization. */
export function Door() {
  const methods = useSignal<SignInMethods | null>(null);
  useEffect(() => {
    const know = (found: SignInMethods) => {
      methods.value = found;
    };
    get<SignInMethods>('/auth/methods').then(know, () => know(ANY_METHOD));
  }, []);
  const at = entry.value;
  if (!methods.value)
    return (
      <main class="sign-in">
        <p class="muted">Loading…</p>
      </main>
    );
  if (at && 'token' in at) return <TokenPage key={at.token} token={at.token} methods={methods.value} />;
  const problem = at && problemOf(at.problem);
  if (homeless.value) return <NoOrganization of={homeless.value} methods={methods.value} problem={problem} />;
  if (session.value && !isOver.value) return <SignedInAlready problem={problem ?? ''} />;
  return <SignIn methods={methods.value} problem={problem} />;
}

const Warning = ({ text }: { text: string | null }) =>
  text && (
    <p class="notice warn" role="alert">
      {text}
    </p>
  );

function SignIn({ methods, problem }: { methods: SignInMethods; problem: string | null }) {
  const way = useSignal<Way>(firstWay(methods));
  const hasPassword = methods.password && !methods.needs_account;
  const secureUrl = secureUrlFor(methods, location);
  const turn = (to: Way, text: string) => (
    <Button
      class="plain"
      onClick={() => {
        way.value = to;
      }}
    >
      {text}
    </Button>
  );
  return (
    <Card key={way.value} title="Sign in">
      {isOver.value && (
        <Warning text="Your session is over. It was ended elsewhere, was not used for too long, or its key was revoked or has expired. Sign in to continue where you were. Your input is still there." />
      )}
      <Warning text={problem} />
      {secureUrl !== null && (
        <p class="notice warn" role="alert">
          Sign in at <a href={secureUrl}>{secureUrl}</a>. This page was loaded over plain HTTP, so your browser does not
          keep the session.
        </p>
      )}
      {way.value === 'single_sign_on' && <SingleSignOn of={methods} isFirst />}
      {way.value === 'password' && (
        <PasswordForm email={session.value?.person?.email ?? ''} action="Sign in" then={enter} />
      )}
      {way.value === 'api_key' && <KeyForm then={enter} />}
      {way.value !== 'single_sign_on' && <SingleSignOn of={methods} isFirst={false} />}
      <div class="others">
        {way.value !== 'api_key' && turn('api_key', 'Use an API key')}
        {way.value === 'api_key' && hasPassword && turn('password', 'Use email and password')}
        {way.value === 'password' ? (
          <details>
            <summary>Forgot your password?</summary>
            <p>
              An admin of your organization can create a link for you that sets a new one, under Settings › Members.
            </p>
            <p>
              Or run this on the server: <code>npm run members -- link EMAIL</code>
            </p>
          </details>
        ) : (
          way.value === 'api_key' && (
            <details>
              <summary>Where is my key?</summary>
              <p>
                The first start prints it in the terminal, with a sign-in link. Without a terminal, it is in the file{' '}
                <code>bootstrap-api-key</code> in the data directory.
              </p>
              <p>
                If you lost it, run this on the server: <code>npm run keys -- create --role admin</code>
              </p>
            </details>
          )
        )}
        <a href={at('/help/guides/operate/lost-access')}>Help</a>
        <a href={at('/docs')}>API reference</a>
      </div>
    </Card>
  );
}

/** Shows a signed-in user that a link has expired, or that connecting single sign-on failed. */
const SignedInAlready = ({ problem }: { problem: string }) => (
  <Card title="This did not work">
    <Warning text={problem} />
    <p>You are signed in as {nameOf(session.value)}.</p>
    <div class="actions">
      <Button class="primary" onClick={stay}>
        Go to the dashboard
      </Button>
    </div>
  </Card>
);

/**
 * The page for users without an organization. They may also have left the session's organization, or need to confirm
 * their groups.
 */
function NoOrganization({ of, methods, problem }: { of: SignedIn; methods: SignInMethods; problem: string | null }) {
  const { organizations, person, operator } = of;
  const { needs_single_sign_on: needsSingleSignOn, needs_second_factor: needsSecondFactor } = of;
  const isElsewhere = organizations.length > 0;
  const isAccountShown = useSignal(false);
  const toggleAccount = () => {
    isAccountShown.value = !isAccountShown.value;
  };
  if (isAccountShown.value)
    return (
      <main>
        <Head title="My account" actions={<Button onClick={toggleAccount}>Back</Button>} />
        <Account changed={() => void runAction(restoreSession)} />
      </main>
    );
  return (
    <Card title={titleOf(of)}>
      <Warning text={problem} />
      <p>
        You are signed in as {person?.name}
        {person?.email && <> ({person.email})</>}.{' '}
        {needsSecondFactor
          ? 'Your organization requires a second factor. Set one up under My account to continue.'
          : needsSingleSignOn
            ? 'Your role comes from your groups. It is valid for a day after you sign in with the provider that lists them.'
            : isElsewhere
              ? 'You were removed, or the organization no longer exists. You can still open these:'
              : 'Ask a member to invite you, and open the link that they send you.'}
      </p>
      {needsSingleSignOn && !needsSecondFactor && <SingleSignOn of={methods} isFirst />}
      <div class="actions">
        {organizations.map(({ id, name }) => (
          <Button key={id} class="primary" onClick={() => runAction(() => switchTo(id))}>
            Go to {name}
          </Button>
        ))}
        <Button class={needsSecondFactor ? 'primary' : ''} onClick={toggleAccount}>
          My account
        </Button>
        <Button onClick={() => runAction(signOut)}>Sign out</Button>
      </div>
      {!isElsewhere && !operator && !needsSingleSignOn && !needsSecondFactor && (
        <p class="muted small">An account that is not in any organization is erased after 30 days.</p>
      )}
    </Card>
  );
}

function titleOf({ organizations, needs_single_sign_on, needs_second_factor }: SignedIn): string {
  if (needs_second_factor) return 'Set up a second factor to continue';
  if (needs_single_sign_on) return 'Sign in with single sign-on to continue';
  return organizations.length > 0 ? 'You are no longer in this organization' : 'You are not in an organization';
}
