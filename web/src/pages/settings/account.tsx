import { useSignal } from '@preact/signals';
import { all, ApiProblem, get, post, put, remove } from '../../api/client';
import type { Account as AccountView, OwnSession, SignInMethods } from '../../api/types';
import { confirmed } from '../../components/dialog';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Password } from '../../components/form/password';
import { Button, Data, Facts, Section, Table } from '../../components/layout';
import { day, time } from '../../logic/format';
import { browserOf, identityPath, issuerName, signedInBy } from '../../logic/people';
import { now } from '../../state/clock';
import { into, type Loaded, useLoad } from '../../state/load';
import { restoreSession, session, signOut } from '../../state/session';
import { runAction, showToast } from '../../state/toast';
import { Leaving } from './leaving';
import { SecondFactor } from './second-factor';

/**
 * Manages the user's own account: name, password, single sign-on, sessions, organizations, and deletion. Also works for
 * users without an organization.
 */
export function Account({ changed }: { changed?: () => void }) {
  const account = useLoad('account', (signal) => get<AccountView>('/auth/account', signal));
  const methods = useLoad('methods', (signal) => get<SignInMethods>('/auth/methods', signal));
  const sessions = useLoad('sessions', (signal) => all<OwnSession>('/auth/sessions', signal));
  return (
    <Data of={account}>
      {(of) => (
        <>
          <div class="columns forms">
            <You of={of} saved={account.reload} />
            {methods.data.value?.password === true && (
              <NewPassword
                of={of}
                saved={() => {
                  account.reload();
                  sessions.reload();
                }}
              />
            )}
          </div>
          {methods.data.value?.password === true && of.has_password && (
            <SecondFactor
              of={of}
              saved={() => {
                account.reload();
                sessions.reload();
                changed?.();
              }}
            />
          )}
          <SingleSignOn of={of} name={methods.data.value?.single_sign_on?.name} reload={account.reload} />
          <Sessions of={sessions} />
          <Organizations of={of} reload={account.reload} />
          <Erasing of={of} />
        </>
      )}
    </Data>
  );
}

function You({ of, saved }: { of: AccountView; saved: () => void }) {
  const name = useSignal(of.name);
  const save = async () => {
    await put('/auth/account', { name: name.value });
    await restoreSession();
    showToast('Your name is saved.');
    saved();
  };
  return (
    <Section title="You">
      <Form save={save} action="Save" isOpen>
        {({ problem }) => (
          <>
            <Text
              label="Name"
              hint="Shown next to your changes, acknowledgements, and incident updates."
              autoComplete="name"
              error={problem('/name')}
              value={name.value}
              set={into(name)}
            />
            <Facts
              of={[
                ['Email', of.email ?? 'none'],
                ['Account created', day(of.created_at)],
                ...(of.operator ? [['Operator', 'of this installation'] as const] : []),
              ]}
            />
          </>
        )}
      </Form>
    </Section>
  );
}

function NewPassword({ of, saved }: { of: AccountView; saved: () => void }) {
  const [before, after] = [useSignal(''), useSignal('')];
  const isRefused = useSignal(false);
  const save = async () => {
    const old = before.value === '' ? {} : { current_password: before.value };
    try {
      await put('/auth/account', { password: after.value, ...old });
    } catch (error) {
      isRefused.value = error instanceof ApiProblem && error.status === 409;
      throw error;
    }
    isRefused.value = false;
    before.value = '';
    after.value = '';
    showToast('The password is saved. Your other sessions have ended.');
    saved();
  };
  return (
    <Section title="Password">
      {of.password_link && (
        <p class="notice warn">
          {of.password_link.created_by ?? 'Someone'} has created a link that sets your password. It works until{' '}
          {time(of.password_link.expires_at, now.value)}. If you did not ask for it, set a new password here to revoke
          the link.
        </p>
      )}
      <Form save={save} action={of.has_password ? 'Change password' : 'Set password'} isOpen>
        {({ problem }) => (
          <>
            {/* Indicates to password managers which account the password belongs to. */}
            <input type="email" autoComplete="username" value={of.email ?? ''} readOnly hidden />
            {of.has_password && (
              <Password
                label="Current password"
                error={problem('/current_password')}
                value={before.value}
                set={into(before)}
              />
            )}
            <Password
              label="New password"
              hint="At least 15 characters, such as several unrelated words. A new password ends all your other sessions."
              isNew
              error={problem('/password')}
              value={after.value}
              set={into(after)}
            />
          </>
        )}
      </Form>
      {isRefused.value && <SignInAgain />}
    </Section>
  );
}

/** Asks the user to sign in again, for changes that need a session started in the last ten minutes. */
const SignInAgain = () => (
  <p class="below">
    <Button onClick={() => runAction(signOut)}>Sign out and sign in again</Button>
  </p>
);

/** Shows the connected single sign-on identity. `name` is the provider's name, if configured. */
function SingleSignOn({ of, name, reload }: { of: AccountView; name: string | undefined; reload: () => void }) {
  if (name === undefined && of.identities.length === 0) return null;
  const isRefused = useSignal(false);
  const connect = async () => {
    isRefused.value = !(await runAction(async () => {
      const { location: there } = await post<{ location: string }>('/auth/oidc', { connect: true });
      location.assign(there);
    }));
  };
  const disconnect = async (each: AccountView['identities'][number]) => {
    const text = `${each.subject} at ${issuerName(each)} can no longer sign in to your account. Your other sessions from that provider end.`;
    if (!(await confirmed('Disconnect', text))) return;
    await runAction(() => remove(identityPath(each)), 'The provider is disconnected.');
    reload();
  };
  return (
    <Section title={name ?? 'Single sign-on'}>
      {of.identities.length > 0 ? (
        <Table
          label="Connected"
          head={['Provider', 'Account', '']}
          rows={of.identities.map((each) => [
            issuerName(each),
            `${each.subject}, since ${day(each.created_at)}`,
            <Button class="plain" label={`Disconnect ${each.subject}`} onClick={() => disconnect(each)}>
              Disconnect
            </Button>,
          ])}
        />
      ) : (
        <p class="muted">Connect it once, and you can also sign in with it.</p>
      )}
      {name !== undefined && of.identities.every(({ issuer }) => issuer === 'proxy') && (
        <p class="below">
          <Button onClick={connect}>Connect {name}</Button>
        </p>
      )}
      {isRefused.value && <SignInAgain />}
    </Section>
  );
}

function Sessions({ of: sessions }: { of: Loaded<OwnSession[]> }) {
  const end = async (path: string, text: string) => {
    await runAction(() => remove(path), text);
    sessions.reload();
  };
  return (
    <Section title="Where you are signed in">
      <Data of={sessions}>
        {(list) => (
          <>
            <Table
              label="Sessions"
              head={['Browser', 'Address', '~Signed in with', 'Last seen', '~Started', '']}
              rows={list.map((each) => [
                <>
                  {browserOf(each.user_agent)} {each.current && <span class="chip">this browser</span>}
                </>,
                each.address ?? '–',
                signedInBy(each),
                time(each.last_seen_at, now.value),
                time(each.created_at, now.value),
                !each.current && (
                  <Button
                    class="plain"
                    label={`End the session of ${browserOf(each.user_agent)} from ${each.address ?? 'an unknown address'}`}
                    onClick={() => end(`/auth/sessions/${each.id}`, 'That browser is signed out.')}
                  >
                    End
                  </Button>
                ),
              ])}
            />
            {list.length > 1 && (
              <Button onClick={() => end('/auth/sessions', 'All other browsers are signed out.')}>
                End all others
              </Button>
            )}
          </>
        )}
      </Data>
    </Section>
  );
}

function Organizations({ of, reload }: { of: AccountView; reload: () => void }) {
  const isLeaving = useSignal(false);
  if (of.organizations.length === 0) return null;
  const here = session.value?.organization?.id;
  return (
    <Section title="Your organizations">
      <Table
        label="Your organizations"
        head={['Name', 'Role', 'Since', '']}
        rows={of.organizations.map(({ id, name, role, source, joined_at }) => [
          name,
          <>
            <span class="role">{role}</span> {source === 'groups' && <span class="muted small">through a group</span>}
          </>,
          day(joined_at),
          id === here ? (
            <Button
              class="plain"
              label={`Leave ${name}`}
              onClick={() => {
                isLeaving.value = true;
              }}
            >
              Leave
            </Button>
          ) : (
            ''
          ),
        ])}
      />
      {isLeaving.value && (
        <Leaving
          of={of}
          then={async () => {
            await runAction(restoreSession);
            reload();
          }}
          onClose={() => {
            isLeaving.value = false;
          }}
        />
      )}
    </Section>
  );
}

/** A user who has just signed in can erase the account. Otherwise, they get a 409 and a button to sign in again. */
function Erasing({ of }: { of: AccountView }) {
  const isRefused = useSignal(false);
  const erase = async () => {
    const text =
      'Your name, email, password, sessions, and memberships are permanently deleted. Your past changes stay, attributed to a “deleted person”. API keys that you created also stay.';
    if (!(await confirmed('Erase my account', text, of.name))) return;
    if (await runAction(() => remove('/auth/account'), 'Your account is erased.')) await runAction(signOut);
    else isRefused.value = true;
  };
  return (
    <Section title="Erase your account">
      <p class="muted">Deletes all data stored about you. You must have signed in within the last ten minutes.</p>
      <p class="actions">
        <Button class="danger" onClick={erase}>
          Erase my account
        </Button>
        {isRefused.value && <Button onClick={() => runAction(signOut)}>Sign out and sign in again</Button>}
      </p>
    </Section>
  );
}
