import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiProblem, get, post, remove } from '../../api/client';
import type { Account, CreatedSession, Link, SignedIn, SignInMethods } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { Form } from '../../components/form/form';
import { Button } from '../../components/layout';
import { day, time } from '../../logic/format';
import { identityPath, issuerName } from '../../logic/people';
import { invites, isForAnother, nameOf, roleText, stepOf } from '../../logic/sign-in';
import { entry } from '../../state/entry';
import { begin, homeless, isOver, session, signOut, switchTo } from '../../state/session';
import { errorMessage, runAction, showToast } from '../../state/toast';
import { Card, enter, SingleSignOn, stay } from './card';
import { AccountForm, CodeForm, isSecondFactorAsked, NewPasswordForm, PasswordForm } from './forms';

interface Props {
  token: string;
  methods: SignInMethods;
}

const isStatus = (error: unknown, status: number): boolean => error instanceof ApiProblem && error.status === status;

/**
 * Runs work that uses the token. If the link is no longer valid, the sign-in page says so. `hasCode` means that a code
 * was sent as well. In that case, a refusal may be about the code, and the link may still work.
 */
async function using(work: () => Promise<void>, hasCode = false): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (hasCode || isSecondFactorAsked(error) || !isStatus(error, 401)) throw error;
    entry.value = { problem: 'used' };
  }
}

/** The page for any link: its purpose, and how to continue. */
export function TokenPage({ token, methods }: Props) {
  const link = useSignal<Link | null>(null);
  const look = async () => {
    try {
      link.value = await post<Link>('/auth/link', { token });
    } catch (error) {
      // With AUTH=off, there is nothing to sign in to.
      if (!isStatus(error, 409)) throw error;
      stay();
    }
  };
  return link.value ? (
    <Known token={token} methods={methods} link={link.value} />
  ) : (
    <Working work={() => using(look)} />
  );
}

/** Runs work that needs no confirmation, and retries it when the user asks. */
function Working({ work }: { work: () => Promise<void> }) {
  const failure = useSignal('');
  const start = () => {
    failure.value = '';
    work().catch((error: unknown) => {
      failure.value = errorMessage(error);
    });
  };
  useEffect(start, []);
  if (failure.value === '')
    return (
      <main class="sign-in">
        <p class="muted">Loading…</p>
      </main>
    );
  return (
    <Card title="The link did not work">
      <p class="notice bad" role="alert">
        {failure.value}
      </p>
      <div class="actions">
        <Button class="primary" onClick={start}>
          Try again
        </Button>
      </div>
    </Card>
  );
}

function Known({ token, methods, link }: Props & { link: Link }) {
  const hasAccount = useSignal(link.has_account);
  const ownKey = useSignal<CreatedSession | null>(null);
  const waysIn = useSignal<{ made: SignedIn; account: Account } | null>(null);
  const by: SignedIn | null = isOver.value ? null : (session.value ?? homeless.value);

  const needsCode = useSignal(false);
  const signIn = async (more: { second_factor?: string } = {}) => {
    try {
      await using(async () => {
        const made = await post<CreatedSession>('/auth/session', { sign_in_token: token, ...more });
        if (made.api_key === null) enter(made);
        else ownKey.value = made;
      }, needsCode.value);
    } catch (error) {
      if (!isSecondFactorAsked(error)) throw error;
      needsCode.value = true;
    }
  };
  const join = () => using(async () => enter(await post<SignedIn>('/auth/join', { token })));
  const makeAccount = (fields: object) =>
    using(async () => {
      try {
        enter(await post<SignedIn>('/auth/account', { token, ...fields }));
      } catch (error) {
        // An account was created in the meantime, so the page offers to sign in.
        if (link.kind === 'invitation' && error instanceof ApiProblem && error.code === 'conflict')
          hasAccount.value = true;
        throw error;
      }
    });
  /** Joins the organization after signing in. If that fails, the page that offers to join shows why. */
  const joinAs = async (made: SignedIn) => {
    try {
      if (!made.organizations.some(({ id }) => id === link.organization?.id))
        return enter(await post<SignedIn>('/auth/join', { token }));
    } catch (error) {
      if (isStatus(error, 401)) entry.value = { problem: 'used' };
      else showToast(errorMessage(error), 'bad');
    }
    begin(made);
  };

  /** Someone who used the account before may still have another way to sign in. */
  const setPassword = async (fields: { password: string; second_factor?: string }) => {
    const made = await post<SignedIn>('/auth/password', { token, ...fields });
    const account = await get<Account>('/auth/account');
    if (account.identities.length === 0) enter(made);
    else waysIn.value = { made, account };
  };

  if (ownKey.value) return <OwnKey of={ownKey.value} />;
  if (needsCode.value)
    return (
      <Card title="Your second factor">
        <CodeForm save={(second_factor) => signIn({ second_factor })} />
      </Card>
    );
  if (waysIn.value) return <WaysIn {...waysIn.value} />;
  switch (stepOf({ ...link, has_account: hasAccount.value }, by)) {
    case 'ask':
      return (
        <Card title={by ? 'You are already signed in' : 'Sign in with a link'}>
          <p>
            {by && <>You are signed in as {nameOf(by)}. </>}
            This link signs in{' '}
            {link.organization ? `a key of “${link.organization.name}”` : (link.email ?? 'an account')}
            {by ? ' instead' : ' in this browser'}. It works once.
          </p>
          <div class="actions">
            {by && (
              <Button class="primary" onClick={stay}>
                Stay signed in
              </Button>
            )}
            <Button class={by ? '' : 'primary'} onClick={() => runAction(() => signIn())}>
              Sign in with the link
            </Button>
          </div>
        </Card>
      );
    case 'make_yours':
      return (
        <Card title="Create your account">
          <p>
            No one has an account here yet. Yours is the first. It makes you admin of “{link.organization?.name}” and
            operator of the whole installation. Changes then show who made them.
          </p>
          {methods.password && <AccountForm email={null} action="Create account" make={makeAccount} />}
          <SingleSignOn of={methods} isFirst={!methods.password} token={token} />
          <div class="others">
            <Button class="plain" onClick={() => (by ? stay() : runAction(() => signIn()))}>
              Continue with the API key
            </Button>
          </div>
        </Card>
      );
    case 'make_account':
      return (
        <Card title={invites(link)}>
          <Invited link={link} />
          {by && <p>You are signed in here as {nameOf(by)}. Your account takes its place.</p>}
          {methods.password && <AccountForm email={link.email} action="Create account" make={makeAccount} />}
          <SingleSignOn of={methods} isFirst={!methods.password} token={token} />
          {methods.password && (
            <div class="others">
              <Button
                class="plain"
                onClick={() => {
                  hasAccount.value = true;
                }}
              >
                I have an account here
              </Button>
            </div>
          )}
        </Card>
      );
    case 'sign_in':
      return (
        <Card title={invites(link)}>
          <Invited link={link} />
          <p>Sign in with your account to join.</p>
          {methods.password && <PasswordForm email={link.email ?? ''} action="Sign in and join" then={joinAs} />}
          <SingleSignOn of={methods} isFirst={!methods.password} token={token} />
        </Card>
      );
    case 'join':
      return (
        <Card title={invites(link)}>
          <Invited link={link} />
          {by && isForAnother(link, by) && (
            <p class="notice warn">
              The invitation is for {link.email}, but you are signed in as {by.person?.email}.
            </p>
          )}
          <Form
            save={join}
            action={`Join as ${by?.person?.name}`}
            isOpen
            more={() => <Button onClick={() => runAction(signOut)}>Use another account</Button>}
          >
            {() => null}
          </Form>
          <div class="others">
            <Button class="plain" onClick={stay}>
              Not now
            </Button>
          </div>
        </Card>
      );
    case 'member':
      return (
        <Card title={`You are already in “${link.organization?.name}”`}>
          <p>
            You are signed in as {nameOf(by)}. There is nothing to join. The invitation stays open for someone else.
          </p>
          <div class="actions">
            <Button class="primary" onClick={() => runAction(() => goTo(link))}>
              Go to {link.organization?.name}
            </Button>
            <Button onClick={() => runAction(signOut)}>Use another account</Button>
          </div>
        </Card>
      );
    case 'new_password':
      return (
        <Card title="Set a new password">
          <p>This signs you in and ends all your other sessions.</p>
          {by && by.person?.email !== link.email && (
            <p class="notice warn">
              You are signed in here as {nameOf(by)}. {link.email} takes their place.
            </p>
          )}
          <NewPasswordForm
            email={link.email ?? ''}
            save={(fields) => using(() => setPassword(fields), fields.second_factor !== undefined)}
          />
        </Card>
      );
  }
}

async function goTo({ organization }: Link): Promise<void> {
  if (organization && organization.id !== session.value?.organization.id) await switchTo(organization.id);
  stay();
}

const Invited = ({ link }: { link: Link }) => (
  <p>
    {roleText(link)} <span class="muted">The link works until {time(link.expires_at, Date.now())}.</span>
  </p>
);

/** After a new password is set using a link, shows the identities that can also sign in. */
function WaysIn({ made, account }: { made: SignedIn; account: Account }) {
  const left = useSignal(account.identities);
  const disconnect = (each: Account['identities'][number]) =>
    runAction(async () => {
      await remove(identityPath(each));
      left.value = left.value.filter((other) => other !== each);
    });
  return (
    <Card title="Your password is set">
      <p>
        {left.value.length === 0
          ? 'Only the new password signs in to your account.'
          : 'These can also sign in to your account. Remove any that you do not know: another person may have added them.'}
      </p>
      <ul class="made">
        {left.value.map((each) => (
          <li key={identityPath(each)}>
            <strong>{each.subject}</strong>{' '}
            <span class="muted small">
              at {issuerName(each)}, since {day(each.created_at)}
            </span>{' '}
            <Button class="plain" label={`Remove ${each.subject}`} onClick={() => disconnect(each)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button class="primary" onClick={() => enter(made)}>
          Continue
        </Button>
      </div>
    </Card>
  );
}

/** Shows the secret for a key that didn't have one, after its link is used. It is shown only once. */
function OwnKey({ of }: { of: CreatedSession }) {
  const key = of.api_key ?? '';
  return (
    <Card title={`Welcome, ${of.key_name}`}>
      <p>
        You are in “{of.organization?.name}” with the role {of.role}. This is your key. Save it, preferably in a
        password manager. You need it to sign in next time, and it is shown only once.
      </p>
      <pre tabIndex={0}>{key}</pre>
      <div class="actions">
        <CopyButton text={key} label="Copy key" />
        <Button class="primary" onClick={() => enter(of)}>
          I have saved it
        </Button>
      </div>
    </Card>
  );
}
