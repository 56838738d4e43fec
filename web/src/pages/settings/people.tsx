import { useSignal } from '@preact/signals';
import { all, get, post, put, remove } from '../../api/client';
import { home } from '../../api/home';
import type {
  CreatedInvitation,
  Invitation,
  Organization,
  PasswordLink,
  Person,
  Role,
  SignInMethods,
} from '../../api/types';
import { CopyButton } from '../../components/copy';
import { confirmed, Dialog } from '../../components/dialog';
import { Choice, Select, Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Button, Data, Section, Table } from '../../components/layout';
import { day, time } from '../../logic/format';
import { initialsOf, issuerName, linkTo, ROLES, waysIn } from '../../logic/people';
import { now } from '../../state/clock';
import { into, useLoad } from '../../state/load';
import { restoreSession, session } from '../../state/session';
import { runAction } from '../../state/toast';
import { Leaving } from './leaving';
import { ShownOnce } from './shown-once';

/** Lists members and invitations, with a form to invite someone. */
export function People() {
  const people = useLoad('people', (signal) => all<Person>('/api/v1/people', signal));
  const invitations = useLoad('invitations', (signal) => all<Invitation>('/api/v1/invitations', signal));
  const made = useSignal<CreatedInvitation | null>(null);
  const invite = async (email: string, role: Role) => {
    made.value = null;
    made.value = await post<CreatedInvitation>('/api/v1/invitations', { email, role });
    invitations.reload();
  };
  const takeBack = async ({ id, email }: Invitation) => {
    const text = `The link for ${email} stops working.`;
    if (!(await confirmed('Revoke the invitation', text))) return;
    await runAction(() => remove(`/api/v1/invitations/${id}`), `The invitation of ${email} is revoked.`);
    if (made.value?.id === id) made.value = null;
    invitations.reload();
  };
  return (
    <>
      <Section title="Invite a member">
        <Invite invite={invite} />
        {made.value && (
          <ShownOnce key={made.value.token} text={linkTo(made.value, `${home()}/`)} copy={`Copy link`}>
            Send this link to <strong>{made.value.email}</strong> and no one else. The first person who opens it joins
            with the role {made.value.role}. The link is shown only once, and works once, until{' '}
            {day(made.value.expires_at)}.
          </ShownOnce>
        )}
      </Section>
      <Section title="Members">
        <Data of={people}>
          {(list) => (
            <Members
              list={list}
              reload={() => {
                people.reload();
                invitations.reload();
              }}
            />
          )}
        </Data>
      </Section>
      <SecondFactorRule />
      {(invitations.data.value?.length ?? 0) > 0 && (
        <Section title="Pending invitations">
          <Data of={invitations}>
            {(list) => (
              <Table
                label="Invitations"
                head={['Email', 'Role', 'Invited by', '~Invited', 'Link expires', '']}
                rows={list.map((each) => [
                  each.email,
                  <span class="role">{each.role}</span>,
                  each.created_by ?? '–',
                  day(each.created_at),
                  day(each.expires_at),
                  <>
                    <Button
                      class="plain"
                      label={`New link for ${each.email}`}
                      onClick={() => runAction(() => invite(each.email, each.role))}
                    >
                      New link
                    </Button>
                    <Button
                      class="plain"
                      label={`Revoke the invitation of ${each.email}`}
                      onClick={() => takeBack(each)}
                    >
                      Revoke
                    </Button>
                  </>,
                ])}
              />
            )}
          </Data>
        </Section>
      )}
    </>
  );
}

/** Sets whether members who sign in with a password need a second factor. */
function SecondFactorRule() {
  const organization = useLoad('organization', (signal) => get<Organization>('/api/v1/organization', signal));
  const set = async (is: boolean) => {
    const text =
      'Members who sign in with a password and have no second factor lose access until they set one up. This applies at once. API keys and sign-ins with a provider are not affected.';
    if (is && !(await confirmed('Require a second factor', text))) return;
    await runAction(
      () => put('/api/v1/organization', { requires_second_factor: is }),
      is ? 'A second factor is now required.' : 'A second factor is no longer required.',
    );
    organization.reload();
  };
  return (
    <Section title="Second factor">
      <Data of={organization}>
        {({ requires_second_factor: isRequired }) => (
          <>
            <p class="muted">
              {isRequired
                ? 'Members who sign in with a password need a second factor: a code from an authenticator app.'
                : 'Members decide for themselves whether to use a second factor with their password.'}
            </p>
            <p class="actions">
              <Button onClick={() => set(!isRequired)}>{isRequired ? 'Stop requiring it' : 'Require it'}</Button>
            </p>
          </>
        )}
      </Data>
    </Section>
  );
}

function Invite({ invite }: { invite: (email: string, role: Role) => Promise<void> }) {
  const [email, role] = [useSignal(''), useSignal<Role>('read')];
  const save = async () => {
    await invite(email.value.trim(), role.value);
    email.value = '';
  };
  return (
    <Form save={save} action="Invite">
      {({ problem }) => (
        <>
          <p class="muted">Creates a link for you to send, in a chat or by email. Nothing is sent from here.</p>
          <div class="form-row times">
            <Text label="Email" type="email" error={problem('/email')} value={email.value} set={into(email)} />
            <Choice
              label="Role"
              error={problem('/role')}
              value={role.value}
              set={(value) => {
                role.value = value as Role;
              }}
              options={ROLES}
            />
          </div>
        </>
      )}
    </Form>
  );
}

function Members({ list, reload }: { list: readonly Person[]; reload: () => void }) {
  const methods = useLoad('methods', (signal) => get<SignInMethods>('/auth/methods', signal));
  const removed = useSignal<Person | null>(null);
  const link = useSignal<{ of: Person; made: PasswordLink } | null>(null);
  const own = session.value?.person?.id;
  const setRole = async (of: Person, role: Role) => {
    if (await mayChange(of, role)) {
      await runAction(() => put(`/api/v1/people/${of.id}`, { role }), `${of.name} now has the role ${role}.`);
      if (of.id === own) await runAction(restoreSession);
    }
    // Runs even if nothing was saved, so that the select shows the stored role.
    reload();
  };
  const makeLink = (of: Person) =>
    runAction(async () => {
      link.value = { of, made: await post<PasswordLink>(`/api/v1/people/${of.id}/password-link`) };
      reload();
    });
  const revokeLink = async (of: Person) => {
    await runAction(() => remove(`/api/v1/people/${of.id}/password-link`), `The link for ${of.name} no longer works.`);
    reload();
  };
  const disconnect = async (of: Person) => {
    const names = (of.identities ?? []).map((each) => `${each.subject} at ${issuerName(each)}`).join(', ');
    const text = `${names} can no longer sign in as ${of.name}, and sessions from there end. A password still works.`;
    if (!(await confirmed('Disconnect single sign-on', text))) return;
    await runAction(() => remove(`/api/v1/people/${of.id}/identities`), `${of.name} is disconnected.`);
    reload();
  };
  if (list.length === 0)
    return (
      <p class="muted">There are no user accounts yet. Invite yourself first so that your changes carry your name.</p>
    );
  return (
    <>
      <Table
        label="Members"
        head={['Name', 'Role', '~Signs in with', 'Last seen', '']}
        rows={list.map((each) => [
          <Name of={each} isOwn={each.id === own} />,
          each.source === 'groups' ? (
            <>
              <span class="role">{each.role}</span> <span class="muted small">through a group</span>
            </>
          ) : (
            <Select
              label={`Role of ${each.name}`}
              value={each.role}
              set={(role) => void setRole(each, role as Role)}
              options={ROLES.map(([role]) => role)}
            />
          ),
          <>
            {waysIn(each)}
            {each.password_link && (
              <p class="muted small">
                open password link by {each.password_link.created_by ?? '–'}, until{' '}
                {time(each.password_link.expires_at, now.value)}
              </p>
            )}
          </>,
          <>
            {each.last_seen_at === null ? 'not recently' : time(each.last_seen_at, now.value)}
            <p class="muted small">joined {day(each.joined_at)}</p>
          </>,
          each.id === own ? (
            <a href="#/settings/account">My account</a>
          ) : (
            <>
              {methods.data.value?.password === true && (
                <Button class="plain" label={`Password link for ${each.name}`} onClick={() => makeLink(each)}>
                  Password link
                </Button>
              )}
              {each.password_link && (
                <Button class="plain" label={`Revoke the link for ${each.name}`} onClick={() => revokeLink(each)}>
                  Revoke link
                </Button>
              )}
              {(each.identities?.length ?? 0) > 0 && (
                <Button class="plain" label={`Disconnect ${each.name}`} onClick={() => disconnect(each)}>
                  Disconnect
                </Button>
              )}
              <Button
                class="plain"
                label={`Remove ${each.name}`}
                onClick={() => {
                  removed.value = each;
                }}
              >
                Remove
              </Button>
            </>
          ),
        ])}
      />
      {removed.value && (
        <Leaving
          of={removed.value}
          then={reload}
          onClose={() => {
            removed.value = null;
          }}
        />
      )}
      {link.value && (
        <LinkDialog
          {...link.value}
          onClose={() => {
            link.value = null;
          }}
        />
      )}
    </>
  );
}

const Name = ({ of, isOwn }: { of: Person; isOwn: boolean }) => (
  <div class="person">
    <span class="initials" aria-hidden="true">
      {initialsOf(of.name)}
    </span>
    <div>
      <strong>{of.name}</strong>
      {isOwn && <span class="muted"> (you)</span>}
      {of.operator && <span class="chip">operator</span>}
      {of.email !== null && <p class="muted small">{of.email}</p>}
    </div>
  </div>
);

/** Asks for confirmation before making someone an admin, and before giving up your own admin role. */
async function mayChange(of: Person, role: Role): Promise<boolean> {
  if (of.id === session.value?.person?.id)
    return confirmed('Change your own role', `You will have the role ${role}. Only another admin can change it back.`);
  if (role !== 'admin') return true;
  return confirmed(
    'Make an admin',
    `${of.name} can then do everything here, including inviting, changing, and removing members, creating keys, and reading the audit log.`,
  );
}

/** Shows a link that sets a new password. It is shown only once. */
const LinkDialog = ({ of, made, onClose }: { of: Person; made: PasswordLink; onClose: () => void }) => {
  const text = linkTo(made, `${home()}/`);
  return (
    <Dialog title={`Password link for ${of.name}`} onClose={onClose}>
      <p>
        Send it to {of.name} and no one else. Anyone who opens it can set the password of the account, which ends all
        its sessions. It works once, until {time(made.expires_at, now.value)}, and is shown only once.
      </p>
      <pre tabIndex={0}>{text}</pre>
      <div class="actions">
        <CopyButton text={text} label="Copy link" />
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
};
