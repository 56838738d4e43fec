import { useSignal } from '@preact/signals';
import { post } from '../../api/client';
import type { Account, RecoveryCodes, SecondFactorDraft } from '../../api/types';
import { CopyButton } from '../../components/copy';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Password } from '../../components/form/password';
import { lazy } from '../../components/lazy';
import { Button, Facts, Section } from '../../components/layout';
import { day } from '../../logic/format';
import { into } from '../../state/load';
import { showToast } from '../../state/toast';
import { ShownOnce } from './shown-once';

const QrCode = lazy(() => import('./qr-code').then((part) => part.QrCode), false);

const PATH = '/auth/account/second-factor';

interface Props {
  of: Account;
  saved: () => void;
}

/** Manages the account's second factor: set up an app, create new recovery codes, or turn it off. */
export function SecondFactor({ of, saved }: Props) {
  const codes = useSignal<readonly string[] | null>(null);
  const show = (made: RecoveryCodes) => {
    codes.value = made.recovery_codes;
    saved();
  };
  return (
    <Section title="Second factor">
      {codes.value && (
        <ShownOnce text={codes.value.join('\n')} copy="Copy codes">
          Keep these recovery codes in a safe place, not on your phone. Each one signs you in once if you lose the app.
          They are shown only once.
        </ShownOnce>
      )}
      {of.second_factor ? (
        <InForce of={of} factor={of.second_factor} saved={saved} show={show} />
      ) : (
        <SetUp of={of} show={show} />
      )}
    </Section>
  );
}

function SetUp({ of, show }: { of: Account; show: (made: RecoveryCodes) => void }) {
  const [password, code] = [useSignal(''), useSignal('')];
  const draft = useSignal<SecondFactorDraft | null>(null);
  const start = async () => {
    draft.value = await post<SecondFactorDraft>(PATH, { current_password: password.value });
    password.value = '';
  };
  const confirm = async () => {
    show(await post<RecoveryCodes>(`${PATH}/confirm`, { code: code.value }));
    showToast('The second factor is on. Your other sessions have ended.');
  };
  if (!draft.value)
    return (
      <Form save={start} action="Set up" isOpen>
        {({ problem }) => (
          <>
            <p class="muted">
              With a second factor, signing in with your password also requires a code from an authenticator app on your
              phone.
            </p>
            <Owner of={of} />
            <Password
              label="Current password"
              error={problem('/current_password')}
              value={password.value}
              set={into(password)}
            />
          </>
        )}
      </Form>
    );
  return (
    <Form
      save={confirm}
      action="Turn on"
      isOpen
      more={() => (
        <Button
          onClick={() => {
            draft.value = null;
          }}
        >
          Cancel
        </Button>
      )}
    >
      {({ problem }) => (
        <>
          <p>Scan this with your authenticator app, then type the code that it shows.</p>
          {draft.value && <QrCode text={draft.value.uri} label="QR code for your authenticator app" />}
          {draft.value && (
            <p class="small">
              Or type this key into the app: <code>{groups(draft.value.secret)}</code>{' '}
              <CopyButton text={draft.value.secret} label="Copy key" />
            </p>
          )}
          <Text
            label="Code"
            hint="Six digits."
            autoComplete="one-time-code"
            error={problem('/code')}
            value={code.value}
            set={into(code)}
          />
        </>
      )}
    </Form>
  );
}

function InForce(
  props: Props & { factor: NonNullable<Account['second_factor']>; show: (made: RecoveryCodes) => void },
) {
  const { of, factor, saved, show } = props;
  const wanted = useSignal<'codes' | 'off' | null>(null);
  const renew = async (body: object) => show(await post<RecoveryCodes>(`${PATH}/recovery-codes`, body));
  const turnOff = async (body: object) => {
    await post(`${PATH}/remove`, body);
    showToast('The second factor is off.');
    saved();
  };
  const ask = (what: 'codes' | 'off') => () => {
    wanted.value = what;
  };
  return (
    <>
      <Facts
        of={[
          ['On since', day(factor.since)],
          ['Recovery codes', `${factor.recovery_codes_left} left`],
        ]}
      />
      {wanted.value === null ? (
        <p class="actions">
          <Button onClick={ask('codes')}>New recovery codes</Button>
          <Button onClick={ask('off')}>Turn off</Button>
        </p>
      ) : (
        <Proof
          key={wanted.value}
          of={of}
          action={wanted.value === 'off' ? 'Turn off' : 'Create new recovery codes'}
          save={async (body) => {
            await (wanted.value === 'off' ? turnOff(body) : renew(body));
            wanted.value = null;
          }}
          cancel={() => {
            wanted.value = null;
          }}
        />
      )}
    </>
  );
}

/** Asks for both factors. */
function Proof(props: { of: Account; action: string; save: (body: object) => Promise<void>; cancel: () => void }) {
  const [password, code] = [useSignal(''), useSignal('')];
  return (
    <Form
      save={() => props.save({ current_password: password.value, second_factor: code.value })}
      action={props.action}
      isOpen
      more={() => <Button onClick={props.cancel}>Cancel</Button>}
    >
      {({ problem }) => (
        <>
          <Owner of={props.of} />
          <Password
            label="Current password"
            error={problem('/current_password')}
            value={password.value}
            set={into(password)}
          />
          <Text
            label="Code"
            hint="From the app, or a recovery code."
            autoComplete="one-time-code"
            error={problem('/second_factor')}
            value={code.value}
            set={into(code)}
          />
        </>
      )}
    </Form>
  );
}

/** Indicates to password managers which account the password belongs to. */
const Owner = ({ of }: { of: Account }) => (
  <input type="email" autoComplete="username" value={of.email ?? ''} readOnly hidden />
);

/** Returns the secret in groups of four characters, which are easier to type. */
const groups = (secret: string): string => (secret.match(/.{1,4}/g) ?? []).join(' ');
